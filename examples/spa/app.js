// A single-page application over Countersign's JSON interface, without a framework.

const part = (id) => document.getElementById(id);
const tell = (text) => (part("told").textContent = text);
const form = part("sign-in");
const user = () => `/users/${encodeURIComponent(form.user.value)}`;

// call sends JSON to this origin and returns the JSON of the response. Every error has a stable key.
async function call(method, path, body) {
  const headers = { Accept: "application/json", ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  const data = text ? JSON.parse(text) : null;
  if (response.ok) return data;
  if (response.status === 401) show(null); // the session has ended
  throw Object.assign(new Error(data.detail), data);
}

// show renders the session, or the sign-in form without one.
async function show(session) {
  form.hidden = Boolean(session);
  if (session) {
    const { authenticators } = await call("GET", "/users/me/authenticators");
    const row = (one) => Object.assign(document.createElement("li"), { textContent: one.name ?? one.provider ?? one.id });
    part("passkeys").replaceChildren(...authenticators.map(row));
    part("name").textContent = session.user.displayName ?? session.user.id;
    part("left").textContent = Math.floor(session.idleExpiresIn / 60);
  }
  part("signed-in").hidden = !session;
}
const refresh = async (message) => (await show(await call("GET", "/session")), tell(message));
const signIn = async (input) => (await call("POST", `${user()}/login`, input), refresh(""));

// on runs an action at an event, one action at a time, and shows its error.
let pending = null;
const on = (id, event, action) =>
  part(id).addEventListener(event, (e) => {
    e.preventDefault();
    pending ??= action().catch((error) => tell(error.message)).finally(() => (pending = null));
  });

on("sign-in", "submit", () => signIn({ credentials: { passKey: form.password.value } }));
on("with-passkey", "click", async () => {
  const { authenticationRequest, requestID } = await call("POST", `${user()}/generate-fido-authentication-request`, { fidoProtocol: "FIDO2" });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(authenticationRequest));
  const authenticationResponse = JSON.stringify(await navigator.credentials.get({ publicKey }));
  await signIn({ requestID, credentials: { fidoAuthenticator: { fidoProtocol: "FIDO2", authenticationResponse } } });
});
on("add", "click", async () => {
  const wanted = { fidoProtocol: "FIDO2", authenticatorSelection: { requireResidentKey: true, userVerification: "preferred" } };
  const { registrationRequest, requestID } = await call("POST", "/users/me/generate-fido-registration-request", wanted);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(registrationRequest));
  const registrationResponse = JSON.stringify(await navigator.credentials.create({ publicKey }));
  await call("POST", "/users/me/register-fido-device", { fidoProtocol: "FIDO2", requestID, registrationResponse });
  await refresh("The passkey is added.");
});
on("sign-out", "click", async () => (await call("DELETE", "/session"), tell("You are signed out."), show(null)));
refresh("").catch(() => show(null));
