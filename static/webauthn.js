// The browser's WebAuthn interface in JSON, as the server speaks it. The native
// conversions are used where they exist; elsewhere the ones below do the same.

/** What this browser can do: {supported, autofill}. Never throws. */
export async function capabilities() {
  const supported = window.isSecureContext && typeof window.PublicKeyCredential === "function" && Boolean(navigator.credentials?.get);
  return { supported, autofill: supported && (await autofill()) };
}

// A missing answer means that we may not know, not that it is impossible: only
// autofill depends on being told. Keys that roam need no announcement.
async function autofill() {
  try {
    const told = await PublicKeyCredential.getClientCapabilities?.();
    return told?.conditionalGet ?? (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
  } catch {
    return false;
  }
}

/** Whether this device itself can keep a passkey; true where the browser does not tell. Never throws. */
export async function keepsHere() {
  try {
    return await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  } catch {
    return true;
  }
}

/** Asks for a new credential. options: the server's JSON text. */
export async function create(options, signal) {
  const publicKey = creationOptions(JSON.parse(options));
  return outcome(await navigator.credentials.create({ publicKey, signal }));
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

// Some password managers replace credentials.create with objects whose toJSON
// is missing or throws; then the fields are read one by one.
function credentialJSON(credential) {
  try {
    const json = credential.toJSON?.();
    if (json) {
      return json;
    }
  } catch {
    // read below
  }
  return {
    id: credential.id,
    rawId: base64url(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults?.() ?? {},
    response: responseJSON(credential.response),
  };
}

function responseJSON(response) {
  const json = { clientDataJSON: base64url(response.clientDataJSON) };
  if (response.attestationObject) {
    json.attestationObject = base64url(response.attestationObject);
    json.transports = response.getTransports?.() ?? [];
    return json;
  }
  json.authenticatorData = base64url(response.authenticatorData);
  json.signature = base64url(response.signature);
  if (response.userHandle) {
    json.userHandle = base64url(response.userHandle);
  }
  return json;
}

function bytes(base64urlText) {
  const binary = atob(base64urlText.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function base64url(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
