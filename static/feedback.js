// What the page tells the person: a problem, in the alert region and with the
// focus on it, or a calm word in the status line. Nothing here is HTML: every
// word arrives as text.

import { Problem } from "./http.js";
import { superseded } from "./prompt.js";
import { reasonOf } from "./reasons.js";
import { text } from "./texts.js";

const alertRegion = document.getElementById("problem");
const statusLine = document.getElementById("status");
let retrying = null;

part("retry")?.addEventListener("click", () => retrying?.());

/** Says message in the status line; an empty one brings back what it says at rest. */
export function say(message) {
  statusLine.textContent = message || (statusLine.dataset.idle ?? "");
}

/** Takes away what was said before. */
export function clear() {
  say("");
  alertRegion.hidden = true;
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
  const { calm, message } = reasonOf(error, kind);
  if (calm) {
    say(message);
    return;
  }
  show({ title: text(kind === "create" ? "js.create.failed" : "js.get.failed"), detail: message, action: "retry" }, retry);
}

function show({ title, detail, instance = "", action = "" }, retry) {
  say("");
  part("title").textContent = title;
  part("detail").textContent = detail ?? "";
  part("instance").textContent = instance;
  part("request").hidden = instance === "";
  const signIn = part("sign-in"); // not there on the sign-in page itself
  if (signIn) {
    signIn.hidden = action !== "sign-in";
  }
  retrying = retry;
  part("retry").hidden = !retry || (action !== "retry" && action !== "restart");
  alertRegion.hidden = false;
  alertRegion.focus();
}

function part(name) {
  return alertRegion?.querySelector(`[data-part="${name}"]`);
}
