// A page of what is under way keeps itself up to date: the stream of events says that
// something has happened, and the page asks for itself and takes over what has changed.

import { localize } from "./times.js";

const pause = 5_000;
const said = document.getElementById("said");
let live = document.getElementById("live");
let pressed = Promise.resolve();
const stream = new EventSource(live.dataset.events);

stream.addEventListener("state", ({ data }) => JSON.parse(data).status !== live.dataset.status && renew());
stream.addEventListener("stage", ({ data }) => JSON.parse(data).name !== live.dataset.stage && renew());
stream.addEventListener("change", ({ data }) => JSON.parse(data).revision > Number(live.dataset.revision) && renew());
stream.addEventListener("audit-trail", () => live.dataset.trail !== "ready" && renew());
stream.addEventListener("done", () => {
  stream.close();
  if (live.dataset.trail === "awaited") {
    ask(); // it may be made when the rest is over
  }
});
stream.addEventListener("error", () => stream.readyState === EventSource.CLOSED && ask());

// What a press began on stays until it has ended there.
addEventListener("pointerdown", () => {
  pressed = new Promise((resolve) => {
    for (const end of ["pointerup", "pointercancel"]) {
      addEventListener(end, () => setTimeout(resolve), { once: true });
    }
  });
});

// Where there is no stream the page asks on its own.
function ask() {
  renew().finally(() => ("active" in live.dataset || live.dataset.trail === "awaited") && setTimeout(ask, pause));
}

async function renew() {
  const page = await load().catch(() => null);
  if (!page) {
    return; // it is asked for again
  }
  const next = page.getElementById("live");
  if (!next && isTyping()) {
    return; // what was typed is kept when it is sent
  }
  if (!next) {
    location.reload(); // signed out, or gone: the page itself says so
    return;
  }
  await pressed;
  takeOver(document.importNode(next, true));
}

// An XMLHttpRequest reads HTML without running any of it. What it asks for by itself
// does not prolong the session.
function load() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const address = new URL(location.href);
    address.searchParams.set("live", "yes");
    request.open("GET", address);
    request.responseType = "document";
    request.timeout = 30_000;
    request.addEventListener("load", () => (request.status < 500 ? resolve(request.response) : reject(request.status)));
    for (const end of ["error", "abort", "timeout"]) {
      request.addEventListener(end, reject);
    }
    request.send();
  });
}

// What the person is doing stays: what they typed and opened, the focus, the caret.
function takeOver(next) {
  const focused = live.contains(document.activeElement) ? document.activeElement : null;
  const before = live.dataset.said;
  localize(next);
  keepEntries(next);
  const place = focused && (kept(focused, next) ?? counterpart(focused, next) ?? headingNear(focused, next));
  const top = focused?.getBoundingClientRect().top;
  const caret = [focused?.selectionStart, focused?.selectionEnd, focused?.selectionDirection];
  keepParts(next);
  live.replaceWith(next);
  live = next;
  document.dispatchEvent(new Event("renewed"));
  if (focused) {
    rest(place);
    if (typeof caret[0] === "number" && place?.localName === focused.localName) {
      place.setSelectionRange(...caret);
    }
    if (place) {
      scrollBy({ top: place.getBoundingClientRect().top - top, behavior: "instant" });
    }
  }
  if (live.dataset.said !== before) {
    document.querySelector("main > .notice")?.remove(); // it told of what was before
    said.textContent = live.dataset.said;
  }
}

// The part of the page that stays as it is, with the element in it: what it shows has not
// changed.
function kept(element, next) {
  const part = element.closest("[data-keep]");
  return part && samePart(part, next) ? element : null;
}

function keepParts(next) {
  for (const part of live.querySelectorAll("[data-keep]")) {
    samePart(part, next)?.replaceWith(part);
  }
}

function samePart(part, root) {
  return root.querySelector(`[data-keep="${CSS.escape(part.dataset.keep)}"]`);
}

function isTyping() {
  return [...live.querySelectorAll("input, textarea")].some((entry) => entry.value !== entry.defaultValue);
}

function rest(place) {
  if (place?.matches("h1, h2, h3")) {
    place.tabIndex = -1; // else a heading does not take the focus
  }
  place?.focus({ preventScroll: true });
  if (document.activeElement !== place) {
    document.getElementById("main").focus({ preventScroll: true });
  }
}

function keepEntries(next) {
  for (const entry of live.querySelectorAll("input, textarea, select, details")) {
    const same = counterpart(entry, next);
    if (same && entry.value !== entry.defaultValue) {
      same.value = entry.value;
    }
    if (same && entry.checked !== entry.defaultChecked) {
      same.checked = entry.checked;
    }
    if (same && entry.localName === "details") {
      same.open = entry.open;
    }
  }
}

// The same element in next: by its id, else the one that is called the same, in the same
// order among its like.
function counterpart(element, next) {
  if (element.id) {
    return next.querySelector(`#${CSS.escape(element.id)}`);
  }
  const alike = (root) => [...root.querySelectorAll(element.localName)].filter((e) => called(e) === called(element));
  return alike(next)[alike(live).indexOf(element)] ?? null;
}

function called(element) {
  const { localName, name, value, textContent } = element;
  const own = localName === "button" ? [name, value, textContent] : [name, element.getAttribute("href")];
  return own.filter(Boolean).join(" ") || (element.querySelector("summary") ?? element).textContent;
}

// The heading in next of the part in which the element stood.
function headingNear(element, next) {
  const part = element.closest("[aria-labelledby]");
  if (!part || !live.contains(part)) {
    return null;
  }
  const heading = next.querySelector(`#${CSS.escape(part.getAttribute("aria-labelledby"))}`);
  if (!heading) {
    return headingNear(part.parentElement, next);
  }
  return heading;
}
