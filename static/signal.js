// What the site tells the keeper of a passkey (WebAuthn Level 3, section 5.1.10).

import { drop, keep, lasts, recall, recallValue } from "./storage.js";

// Where a tab keeps in mind the passkeys that were made in it, by their ids at the
// platform, which does not tell what browsers call them: {id: {rpId, credentialId}}.
const storage = (user) => `passkeys of ${user}`;
const justMade = "passkey just made";

/** Keeps in mind that credential was made from options, the JSON text, until its id is known. */
export function keepMade(options, credential) {
  keep(justMade, JSON.stringify({ rpId: rpIdOf(options), credentialId: credential.id }));
}

/**
 * Has the passkeys hidden that were made here for user and are not among those listed,
 * by their ids: they were removed. added: the id of the one that was just made.
 */
export function forgetRemoved(user, listed, added) {
  const kept = recallValue(storage(user)) ?? {};
  const made = recallValue(justMade);
  if (made && added) {
    kept[added] = made;
  }
  drop(justMade);
  for (const id of Object.keys(kept).filter((id) => !listed.includes(id))) {
    signalUnknown(kept[id]);
    delete kept[id];
  }
  keep(storage(user), JSON.stringify(kept));
}

/**
 * Has a passkey that was just made hidden, where problem says that the platform did not
 * take it, or that we do not: its keeper would offer it at every sign-in, in vain. A failure on the way
 * says nothing of the kind, nor does our own refusal of a form. options: the JSON text it
 * was made from.
 */
export function forgetRefused(problem, options, credential) {
  if (problem.key === "ceremony.refused" || problem.key === "ceremony.model") {
    forgetMade(options, credential);
  }
}

/** Has a passkey hidden that was made from options, and has just been removed. */
export function forgetMade(options, credential) {
  signalUnknown({ rpId: rpIdOf(options), credentialId: credential.id });
}

const latest = "sign-in that was told of";

/** Whether this tab has told the browser of the sign-in at that time. */
export function toldOf(at) {
  return recall(latest) === at || !lasts(); // in a browser that keeps nothing, the page of authenticators alone tells
}

/** Keeps in mind that it has. */
export function keepTold(at) {
  keep(latest, at);
}

/** Whether the browser can be told which passkeys are accepted, or what their owner is called. */
export const canSignal = () => can("signalAllAcceptedCredentials") || can("signalCurrentUserDetails");

/**
 * Tells it, from the server's answer. No list means that not all of them are known. No user
 * means that the server has seen no passkey of this person yet, and no name that it knows none.
 */
export function signalAccepted({ userId, name, displayName, allAcceptedCredentialIds, ...told }) {
  if (!userId) {
    return;
  }
  const rpId = told.rpId || location.hostname;
  if (allAcceptedCredentialIds) {
    signal("signalAllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
  }
  if (name) {
    signal("signalCurrentUserDetails", { rpId, userId, name, displayName });
  }
}

const can = (name) => typeof globalThis.PublicKeyCredential?.[name] === "function";

function signal(name, what) {
  try {
    PublicKeyCredential[name]?.(what)?.catch(() => {});
  } catch {
    // a courtesy: nobody waits for it
  }
}

const rpIdOf = (options) => JSON.parse(options).rp?.id ?? location.hostname;

const signalUnknown = (passkey) => signal("signalUnknownCredential", passkey);
