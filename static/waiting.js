// The look of a passkey panel: the button once it can be offered, busy while a
// prompt is open, and the way on when the prompt does not come back.

import { say } from "./feedback.js";
import { text } from "./texts.js";

export class Panel {
  /** root: the element around the button; its parts are marked with data-part. */
  constructor(root) {
    this.button = root.querySelector('[data-part="start"]');
    this.status = root.querySelector('[role="status"]');
    this.stalled = root.querySelector('[data-part="stalled"]');
    this.unavailable = root.querySelector('[data-part="unavailable"]');
    this.again = root.querySelector('[data-part="again"]');
    this.instead = root.querySelector('[data-part="instead"]');
    addEventListener("pageshow", ({ persisted }) => persisted && this.#rest()); // gone back to: its prompt is over
  }

  /** Offers the button, or says why there is none. */
  offer(supported) {
    this.button.hidden = !supported;
    this.unavailable.hidden = supported;
    this.status.hidden = !supported;
  }

  /** Calls act when the person asks for a prompt, by the button or once more. */
  whenAsked(act) {
    this.button.addEventListener("click", () => this.isBusy || act());
    this.again.addEventListener("click", () => {
      this.button.focus();
      act();
    });
  }

  /** Whether a prompt is open. The button is not disabled then: that would take the focus from it. */
  get isBusy() {
    return this.button.getAttribute("aria-disabled") === "true";
  }

  /** Shows that a prompt is open; message is said meanwhile. */
  busy(message) {
    this.button.setAttribute("aria-disabled", "true");
    this.stalled.hidden = true;
    say(message);
  }

  /** Offers the way on: the prompt is taking long. */
  stall() {
    say(text("js.stalled"));
    this.stalled.hidden = false;
  }

  #rest() {
    this.ready();
    say("");
  }

  /** Back to where another try can begin. */
  ready() {
    this.button.removeAttribute("aria-disabled");
    this.stalled.hidden = true;
  }
}
