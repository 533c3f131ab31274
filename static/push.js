// Sign-in by approval on the person's phone: start it, then ask how it stands
// until it is decided.

import { clear, say, tell } from "./feedback.js";
import { Problem, send } from "./http.js";
import { proceed } from "./proceed.js";
import { stop } from "./prompt.js";
import { text } from "./texts.js";

const pause = 2_000;
const longest = 10 * 60_000;
const form = document.getElementById("sign-in");
const button = document.getElementById("push");

button.hidden = false;
button.addEventListener("click", () => button.ariaDisabled === "true" || approve());

async function approve() {
  stop();
  clear();
  button.ariaDisabled = "true"; // not disabled: that would take the focus from it
  say(text("js.push.waiting"));
  try {
    const path = `/users/${encodeURIComponent(form.elements.user.value)}/login`;
    const { requestID, sessionStatus = "pending" } = await send("POST", path, { objectType: "LoginInput", orchestrationDelivery: ["pushNotification"] });
    await decided(requestID, sessionStatus);
    proceed(form.elements.next.value);
  } catch (error) {
    button.ariaDisabled = null;
    say("");
    tell(error, "get", approve);
  }
}

async function decided(requestID, status) {
  const begin = Date.now();
  while (status === "pending") {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      ({ sessionStatus: status } = await send("GET", `/sessions/${encodeURIComponent(requestID)}`));
    } catch (error) {
      // It still waits on the phone, and may have been decided there: only our asking failed.
      if (!error.retryable || Date.now() - begin > longest) {
        throw error;
      }
    }
  }
  if (status !== "accepted") {
    throw new Problem({ title: text("js.push.failed"), detail: text(status === "refused" ? "js.push.refused" : "js.push.timeout"), action: "retry" });
  }
}
