// The browser's WebAuthn interface in JSON, as the server speaks it. The native
// conversions are used where they exist; elsewhere the ones below do the same.

// How long the browser, or what has taken its place, may think about a question.
const patience = 900; // milliseconds

/** Whether this browser knows passkeys. */
export const supported = () =>
  window.isSecureContext && typeof window.PublicKeyCredential === "function" && Boolean(navigator.credentials?.get);

/**
 * Whether passkeys can be among a field's suggestions. A missing answer means that we may
 * not know, so there are none. Never throws.
 */
export async function suggests() {
  const told = await answered(() => PublicKeyCredential.getClientCapabilities?.());
  return Boolean(told?.conditionalGet ?? (await answered(() => PublicKeyCredential.isConditionalMediationAvailable?.())));
}

/** Whether a password manager can make a passkey by itself. Never throws. */
export async function createsAlone() {
  return Boolean((await answered(() => PublicKeyCredential.getClientCapabilities?.()))?.conditionalCreate);
}

/** Whether this device itself can keep a passkey; true where the browser does not tell. Never throws. */
export async function keepsHere() {
  return (await answered(() => PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) ?? true;
}

// What ask returns in time; nothing where it fails.
async function answered(ask) {
  const late = new Promise((resolve) => setTimeout(resolve, patience));
  return Promise.race([attempt(ask), late]).catch(() => undefined);
}

const attempt = async (ask) => ask();

/** Asks for a new credential. options: the server's JSON text. */
export async function create(options, signal, mediation) {
  const publicKey = creationOptions(JSON.parse(options));
  return outcome(await navigator.credentials.create(mediation ? { publicKey, signal, mediation } : { publicKey, signal }));
}

/** Asks for an assertion. options: the server's JSON text. */
export async function get(options, signal, mediation) {
  const publicKey = requestOptions(JSON.parse(options));
  const request = { publicKey, signal };
  if (mediation) {
    request.mediation = mediation;
  }
  return outcome(await navigator.credentials.get(request));
}

/** The time-out that the server's options name, in milliseconds; 0 if none. */
export function timeoutOf(options) {
  const { timeout } = JSON.parse(options);
  return Number.isFinite(timeout) && timeout > 0 ? timeout : 0;
}

// The interface may answer null, which is a refusal like any other.
function outcome(credential) {
  if (!credential) {
    throw new DOMException("", "NotAllowedError");
  }
  return credentialJSON(credential);
}

function creationOptions(options) {
  if (typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function") {
    return PublicKeyCredential.parseCreationOptionsFromJSON(options);
  }
  return {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  };
}

function requestOptions(options) {
  if (typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function") {
    return PublicKeyCredential.parseRequestOptionsFromJSON(options);
  }
  return { ...options, challenge: bytes(options.challenge), allowCredentials: descriptors(options.allowCredentials) };
}

function descriptors(list) {
  return (list ?? []).map((descriptor) => ({ ...descriptor, id: bytes(descriptor.id) }));
}

// Some password managers answer with objects of their own: without a usable toJSON, or
// beneath the browser's prototypes, whose methods and members throw on them. Then what
// binds is read one by one, and what does not is left out where it fails.
function credentialJSON(credential) {
  const json = optional(() => JSON.parse(JSON.stringify(credential.toJSON())));
  if (isWhole(json)) {
    return json;
  }
  const rawId = optional(() => base64url(credential.rawId)) || credential.id;
  return {
    id: optional(() => credential.id) ?? rawId,
    rawId,
    type: optional(() => credential.type) ?? "public-key",
    authenticatorAttachment: optional(() => credential.authenticatorAttachment) ?? undefined,
    clientExtensionResults: optional(() => credential.getClientExtensionResults()) ?? {},
    response: responseJSON(credential.response),
  };
}

function responseJSON(response) {
  const json = { clientDataJSON: base64url(response.clientDataJSON) };
  const attestationObject = optional(() => response.attestationObject);
  if (attestationObject) {
    json.attestationObject = base64url(attestationObject);
    json.transports = optional(() => response.getTransports()) ?? [];
    return json;
  }
  json.authenticatorData = base64url(response.authenticatorData);
  json.signature = base64url(response.signature);
  const userHandle = optional(() => response.userHandle);
  if (userHandle) {
    json.userHandle = base64url(userHandle);
  }
  return json;
}

// Whether json has what binds, as texts.
function isWhole(json) {
  const { clientDataJSON, attestationObject, authenticatorData, signature } = json?.response ?? {};
  const binding = attestationObject ? [attestationObject] : [authenticatorData, signature];
  return [json?.id, json?.rawId, json?.type, clientDataJSON, ...binding].every((text) => text && typeof text === "string");
}

// What read returns; nothing where it throws.
function optional(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function bytes(base64urlText) {
  const binary = atob(base64urlText.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function base64url(buffer) {
  if (typeof buffer === "string") {
    return buffer; // written already
  }
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
