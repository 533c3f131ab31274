// The sign-in page once the person is known: the passkey button, and passkeys
// in the autofill of the password field. Without this script, or without
// passkeys, the password form does its work alone.

import { SignInRequests } from "./challenge.js";
import { clear, say, tell } from "./feedback.js";
import { proceed } from "./proceed.js";
import { exclusive, stop, superseded, watched } from "./prompt.js";
import { text } from "./texts.js";
import { Panel } from "./waiting.js";
import { get, suggests, supported } from "./webauthn.js";

// A person who goes straight for the button needs no suggestions.
const settling = 1_000;
// How often a page is kept ready for somebody who does nothing.
const courtesy = 10;
const renewal = new DOMException("renewal", "AbortError");
const form = document.getElementById("sign-in");
const root = document.getElementById("passkey");
const panel = new Panel(root);
const requests = new SignInRequests(root.dataset.user, Number(root.dataset.lifetime) * 1000);
let autofill = false; // until the browser has told
let renewals = 0;
let leaving = false;

panel.whenAsked(withButton);
panel.instead.addEventListener("click", withPassword);
form.addEventListener("submit", leave);

panel.offer(supported());
if (document.activeElement === document.body && !document.querySelector("[autofocus]:not([hidden])")) {
  (supported() ? panel.button : form.elements.password).focus(); // one key from the name to the passkey
}
if (supported() && (await suggests())) {
  autofill = true;
  setTimeout(offerAutofill, settling);
}

// An answer that comes after the one to the form would bring the cookie of before.
function leave() {
  leaving = true;
  requests.abandon();
}

async function withButton() {
  leaving = false;
  stop();
  clear();
  panel.busy(text("js.get.waiting"));
  try {
    const request = await requests.current();
    const credential = await watched((signal) => get(request.options, signal), { onStall: () => panel.stall(), limit: request.left() });
    await finish(request, credential);
  } catch (error) {
    if (error === superseded) {
      return;
    }
    panel.ready();
    tell(error, "get", withButton);
    offerAutofill();
  }
}

// The prompt stays pending for as long as nobody picks a passkey from the
// field's suggestions; a challenge does not, so it is replaced in time.
async function offerAutofill() {
  if (!autofill || leaving || panel.isBusy) {
    return;
  }
  try {
    const request = await requests.current();
    if (panel.isBusy) {
      return; // the button was faster
    }
    const timer = setTimeout(() => stop(renewal), request.left() * 0.8);
    const credential = await exclusive((signal) => get(request.options, signal, "conditional")).finally(() => clearTimeout(timer));
    panel.busy(text("js.get.checking"));
    await finish(request, credential);
  } catch (error) {
    if (error === renewal) {
      await attention();
      offerAutofill();
    } else if (panel.isBusy && error !== superseded) {
      panel.ready();
      tell(error, "get", withButton);
    }
  }
}

async function finish(request, credential) {
  say(text("js.get.checking"));
  await requests.answer(request, credential);
  proceed(form.elements.next.value);
}

function withPassword() {
  stop();
  panel.ready();
  say("");
  form.elements.password.focus();
  offerAutofill();
}

// A page that nobody looks at asks for nothing until somebody does again.
async function attention() {
  renewals += 1;
  if (!document.hidden && renewals < courtesy) {
    return;
  }
  await new Promise((resolve) => {
    for (const sign of ["visibilitychange", "pointermove", "keydown"]) {
      document.addEventListener(sign, resolve, { once: true });
    }
  });
  renewals = 0;
}
