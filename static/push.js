// Sign-in by approval on the person's phone: start it, then ask how it stands
// until it is decided, or until the person no longer wants to wait.

import { clear, tell } from "./feedback.js";
import { Problem, send } from "./http.js";
import { proceed } from "./proceed.js";
import { stop } from "./prompt.js";
import { text } from "./texts.js";

const pause = 2_000;
const longest = 10 * 60_000;
// What is said of a push that ended without approval.
const endings = {
  refused: ["js.push.failed", "js.push.refused"],
  failed: ["js.push.unreached", "js.push.unreached-detail"],
  timeout: ["js.push.failed", "js.push.timeout"],
};
const cancelled = new DOMException("cancelled", "AbortError");
const form = document.getElementById("sign-in");
const root = document.getElementById("push");
const [start, heading, said, waiting, left, cancel] = ["start", "heading", "said", "waiting", "left", "cancel"].map((name) => root.querySelector(`[data-part="${name}"]`));

let asked = null; // what the phone may still be showing: {requestID, status, until}
let controller = null;

start.hidden = false;
start.addEventListener("click", approve);
cancel.addEventListener("click", () => controller.abort(cancelled));

async function approve() {
  stop();
  clear();
  show(true);
  said.textContent = text("js.push.waiting");
  controller = new AbortController();
  const clock = setInterval(count, 250);
  try {
    asked ??= await push();
    count();
    waiting.hidden = false;
    await decided(controller.signal);
    proceed(form.elements.next.value);
  } catch (error) {
    rest(error === cancelled ? text("js.reason.stopped") : "");
    if (error === cancelled) {
      start.focus();
    } else {
      asked = null;
      tell(error, "get", approve);
    }
  } finally {
    clearInterval(clock);
  }
}

async function push() {
  const path = `/users/${encodeURIComponent(form.elements.user.value)}/login`;
  const { requestID, sessionStatus: status = "pending" } = await send("POST", path, { objectType: "LoginInput", orchestrationDelivery: ["pushNotification"] });
  return { requestID, status, until: Date.now() + Number(root.dataset.lifetime) * 1000 };
}

async function decided(signal) {
  const begin = Date.now();
  while (asked.status === "pending") {
    await new Promise((resolve, reject) => {
      setTimeout(resolve, pause);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    try {
      ({ sessionStatus: asked.status } = await send("GET", `/sessions/${encodeURIComponent(asked.requestID)}`));
    } catch (error) {
      // It still waits on the phone, and may have been decided there: only our asking failed.
      if (!error.retryable || Date.now() - begin > longest) {
        throw error;
      }
    }
  }
  if (asked.status !== "accepted") {
    const [title, detail] = endings[asked.status] ?? endings.timeout;
    throw new Problem({ title: text(title), detail: text(detail), action: "retry" });
  }
}

// While the phone is waited for, the other ways are out of sight.
function show(pending) {
  form.toggleAttribute("data-waiting", pending);
  start.hidden = pending;
  heading.hidden = !pending;
  heading.focus();
}

function rest(message) {
  show(false);
  waiting.hidden = true;
  said.textContent = message;
}

// The time that is left, in minutes and seconds.
function count() {
  if (asked) {
    const seconds = Math.max(0, Math.ceil((asked.until - Date.now()) / 1000));
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}
