// A passkey that a password manager makes by itself, after a sign-in with the password that it
// has just filled in. It keeps nobody waiting, shows no error, and tells of itself only when
// there is a new passkey.

import { send } from "./http.js";
import { exclusive } from "./prompt.js";
import { forgetMade, forgetRefused } from "./signal.js";
import { sayNoMore } from "./signals.js";
import { create, createsAlone, supported } from "./webauthn.js";

const told = document.getElementById("made-alone");
const stopping = new AbortController();

/** Makes room for what the person asks for: browsers have one prompt at a time. */
export function standBack() {
  stopping.abort();
}

if (told && supported()) {
  make(`/users/${encodeURIComponent(told.dataset.user)}`).catch(() => {}); // nobody has asked for it, and nobody waits
}

async function make(account) {
  if (!(await createsAlone()) || stopping.signal.aborted) {
    return;
  }
  const wanted = {
    fidoProtocol: "FIDO2",
    authenticatorSelection: { userVerification: "preferred", requireResidentKey: true },
    attestation: "none",
  };
  const { registrationRequest, requestID } = await send("POST", `${account}/generate-fido-registration-request`, wanted, stopping.signal, {
    "Countersign-Conditional": "create",
  });
  if (stopping.signal.aborted) {
    return;
  }
  const credential = await exclusive((signal) => create(registrationRequest, signal, "conditional"));
  sayNoMore();
  const registration = { fidoProtocol: "FIDO2", requestID, registrationResponse: JSON.stringify(credential) };
  await send("POST", `${account}/register-fido-device`, registration).catch((problem) => {
    forgetRefused(problem, registrationRequest, credential);
    throw problem;
  });
  const { authenticators } = await send("GET", `${account}/authenticators`);
  tell(account, newest(authenticators), () => forgetMade(registrationRequest, credential));
}

const newest = (all) =>
  all.filter(({ protocol }) => protocol === "FIDO2").reduce((a, b) => ((b.createdAt ?? "") > (a.createdAt ?? "") ? b : a));

// Tells of the passkey, and removes it with one click.
function tell(account, passkey, forget) {
  const part = (name) => told.querySelector(`[data-part="${name}"]`);
  const added = part(passkey.provider ? "added-to" : "added");
  added.textContent = added.textContent.replace("{provider}", passkey.provider);
  added.hidden = part("remove").hidden = told.hidden = false;
  document.getElementById("prompt-heading")?.closest("section").remove(); // there is one now
  part("remove").addEventListener("click", async () => {
    try {
      await send("DELETE", `${account}/authenticators/${encodeURIComponent(passkey.id)}?confirm=last`);
      forget();
      added.hidden = part("remove").hidden = true;
      part("removed").hidden = false;
    } catch {
      location.assign(`/authenticators?${new URLSearchParams({ remove: passkey.id })}`);
    }
  });
}
