// The account page tells how the activation of the person's phone stands, for as long as an
// activation password may live.

import { send } from "./http.js";

const pause = 2_000;
const longest = 15 * 60_000;
const said = document.getElementById("activation");
const path = `/users/${encodeURIComponent(said.dataset.user)}/activation`; // of the page's person: another tab may have signed in another
const end = Date.now() + longest;
const look = document.getElementById("activation-look");

look.hidden = true; // following it would take the password away

while (said.dataset.status !== "activated" && Date.now() < end) {
  await new Promise((resolve) => setTimeout(resolve, pause));
  if (document.hidden) {
    continue; // nobody looks
  }
  try {
    tell((await send("GET", path)).activationStatus);
  } catch (error) {
    if (!error.retryable) {
      break;
    }
  }
}
look.hidden = said.dataset.status === "activated";

function tell(status) {
  if (status !== said.dataset.status) {
    said.dataset.status = status;
    said.textContent = said.dataset[status];
  }
}
