// The page of authenticators: adding a passkey. Everything else on it is forms.

import { standBack } from "./conditional.js";
import { clear, say, tell } from "./feedback.js";
import { send } from "./http.js";
import { stop, superseded, watched } from "./prompt.js";
import { forgetRefused, forgetRemoved, keepMade } from "./signal.js";
import { sayNoMore } from "./signals.js";
import { text } from "./texts.js";
import { Panel } from "./waiting.js";
import { create, keepsHere, supported, timeoutOf } from "./webauthn.js";

const root = document.getElementById("passkey");
const account = `/users/${encodeURIComponent(root.dataset.user)}`; // of the page's person: another tab may have signed in another
const panel = new Panel(root);
const where = root.querySelector('[data-part="where"]');

forgetRemoved(
  root.dataset.user,
  Array.from(document.querySelectorAll("[data-authenticator]"), (row) => row.dataset.authenticator),
  document.querySelector("[data-added]")?.dataset.added,
);
panel.whenAsked(add);
panel.instead.addEventListener("click", leave);
if (supported()) {
  choose((await keepsHere()) ? "platform" : "cross-platform");
}
panel.offer(supported());

// Asks where the passkey shall be kept, beginning with kind. A platform that is not told takes this device alone.
function choose(kind) {
  where.querySelector(`[value="${kind}"]`).checked = true;
  where.hidden = false;
}

function wanted() {
  const authenticatorAttachment = where.querySelector(":checked").value;
  return {
    fidoProtocol: "FIDO2",
    authenticatorSelection: { authenticatorAttachment, userVerification: "preferred", requireResidentKey: true },
    attestation: "none",
  };
}

async function add() {
  sayNoMore();
  standBack();
  stop();
  clear();
  panel.busy(text("js.create.waiting"));
  try {
    const { registrationRequest, requestID } = await send("POST", `${account}/generate-fido-registration-request`, wanted());
    const limit = timeoutOf(registrationRequest) || undefined;
    const credential = await watched((signal) => create(registrationRequest, signal), { onStall: () => panel.stall(), limit });
    await register(requestID, registrationRequest, credential);
  } catch (error) {
    if (error !== superseded) {
      panel.ready();
      tell(error, "create", add);
    }
  }
}

async function register(requestID, options, credential) {
  say(text("js.create.saving"));
  const registration = { fidoProtocol: "FIDO2", requestID, registrationResponse: JSON.stringify(credential) };
  await send("POST", `${account}/register-fido-device`, registration).catch((problem) => {
    forgetRefused(problem, options, credential);
    throw problem;
  });
  keepMade(options, credential);
  const to = new URLSearchParams({ added: placeOf(credential) });
  if (root.dataset.next) {
    to.set("next", root.dataset.next);
  }
  location.assign(`/authenticators?${to}`);
}

// Where the passkey is kept, as far as the browser tells.
function placeOf(credential) {
  if (credential.authenticatorAttachment === "platform") {
    return "device";
  }
  const transports = credential.response?.transports ?? [];
  return transports.includes("hybrid") || transports.includes("internal") ? "phone" : "key";
}

function leave() {
  stop();
  panel.ready();
  say(text("js.reason.stopped"));
  panel.button.focus();
}
