// A page of what is under way keeps itself up to date: the stream of events says that
// something has happened, and the page asks for itself and takes over what has changed.

import { localize } from "./times.js";

const pause = 5_000;
const said = document.getElementById("said");
let live = document.getElementById("live");
const stream = new EventSource(live.dataset.events);

stream.addEventListener("state", ({ data }) => JSON.parse(data).status !== live.dataset.status && renew());
stream.addEventListener("stage", ({ data }) => JSON.parse(data).name !== live.dataset.stage && renew());
stream.addEventListener("change", ({ data }) => JSON.parse(data).revision !== live.dataset.revision && renew());
stream.addEventListener("done", () => stream.close());
stream.addEventListener("error", () => stream.readyState === EventSource.CLOSED && ask());

// Where there is no stream the page asks on its own.
function ask() {
  renew().finally(() => "active" in live.dataset && setTimeout(ask, pause));
}

async function renew() {
  const page = await load().catch(() => null);
  if (!page) {
    return; // it is asked for again
  }
  const next = page.getElementById("live");
  if (!next) {
    location.reload(); // signed out, or gone: the page itself says so
    return;
  }
  if (next.dataset.status !== live.dataset.status || !live.querySelector("form.edit")) {
    takeOver(document.importNode(next, true));
  }
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

function takeOver(next) {
  const focused = live.contains(document.activeElement) ? document.activeElement.id : "";
  const before = live.dataset.said;
  localize(next);
  live.replaceWith(next);
  live = next;
  if (focused) {
    (document.getElementById(focused) ?? document.getElementById("main")).focus();
  }
  if (live.dataset.said !== before) {
    said.textContent = live.dataset.said;
  }
}
