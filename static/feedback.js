// What the page tells the person: a problem, in the alert region and with the
// focus on it, or a calm word in the status line. Nothing here is HTML: every
// word arrives as text.

import { Problem } from "./http.js";
import { superseded } from "./prompt.js";
import { reasonOf } from "./reasons.js";

const alertRegion = document.getElementById("problem");
const statusLine = document.getElementById("status");
const title = alertRegion?.dataset.page;
let retrying = null;

for (const button of alertRegion?.querySelectorAll("button[data-action]") ?? []) {
  button.addEventListener("click", () => retrying?.());
}

/** Says message in the status line; an empty one brings back what it says at rest. */
export function say(message) {
  statusLine.textContent = message || (statusLine.dataset.idle ?? "");
  statusLine.toggleAttribute("data-said", Boolean(message));
}

/** Takes away what was said before, by the server too. */
export function clear() {
  say("");
  for (const notice of document.querySelectorAll("main > .notice")) {
    notice.remove();
  }
  alertRegion.hidden = true;
  document.title = title;
  retrying = null;
}

/** Tells how a prompt of kind "create" or "get" failed. retry: what "try again" does. */
export function tell(error, kind, retry) {
  if (error === superseded) {
    return;
  }
  if (error instanceof Problem) {
    show(error, retry);
    return;
  }
  const { calm, title: heading, message, action } = reasonOf(error, kind);
  if (calm) {
    say(message);
    return;
  }
  show({ title: heading, detail: message, action }, retry);
}

function show({ title: heading, detail, instance = "", action = "" }, retry) {
  say("");
  part("title").textContent = heading;
  part("detail").textContent = detail ?? "";
  part("instance").textContent = instance;
  part("request").hidden = instance === "";
  offer(action, retry);
  document.title = `${heading} · ${title}`;
  alertRegion.hidden = false;
  alertRegion.focus();
}

// The next step that fits the action, where the page has one: a link, or a button
// that tries once more. What the page offered for another problem goes.
function offer(action, retry) {
  retrying = retry;
  part("next-step")?.remove();
  for (const way of alertRegion.querySelectorAll("[data-action]")) {
    const fits = way.dataset.action.split(" ").includes(action);
    way.hidden = !fits || (way.localName === "button" && !retry);
  }
}

function part(name) {
  return alertRegion?.querySelector(`[data-part="${name}"]`);
}
