// Tells the browser, after each sign-in and on the page of authenticators, which of the
// person's passkeys are accepted, and what the person is called now.

import { send } from "./http.js";
import { canSignal, keepTold, signalAccepted, toldOf } from "./signal.js";

const stopping = new AbortController();

/** Says no more on this page: a passkey is being made, which an answer may not name yet. */
export function sayNoMore() {
  stopping.abort();
}

const at = document.getElementById("signed-in")?.dataset.at;
if (at && canSignal() && (location.pathname === "/authenticators" || !toldOf(at))) {
  try {
    const accepted = await send("GET", "/users/me/accepted-passkeys", undefined, stopping.signal);
    if (!stopping.signal.aborted) {
      signalAccepted(accepted);
      keepTold(at);
    }
  } catch {
    // a courtesy: the next page tries again
  }
}
