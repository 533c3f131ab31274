// What the site tells the keeper of a passkey (WebAuthn Level 3, section 5.1.10).

// After these nobody knows whether the passkey was taken: an earlier copy of the
// same message may have arrived.
const undecided = ["ceremony.spent", "request.cancelled"];

/**
 * Has a passkey that was just made hidden, where problem says that it was
 * refused: whoever keeps it would offer it at every sign-in, in vain. A failure
 * on the way says nothing of the kind. options: the JSON text it was made from.
 */
export function forgetRefused(problem, options, credential) {
  const refused = problem.key && problem.status >= 400 && problem.status < 500 && !undecided.includes(problem.key);
  if (!refused || typeof PublicKeyCredential.signalUnknownCredential !== "function") {
    return;
  }
  const rpId = JSON.parse(options).rp?.id ?? location.hostname;
  PublicKeyCredential.signalUnknownCredential({ rpId, credentialId: credential.id }).catch(() => {}); // a courtesy: nobody waits for it
}
