// A single-page application over Countersign's JSON interface, without a framework.

const part = (id) => document.getElementById(id);
const tell = (text) => (part("told").textContent = text);
const { parseCreationOptionsFromJSON, parseRequestOptionsFromJSON } = PublicKeyCredential;

// call sends JSON to this origin and returns the JSON of the answer. Every error has a stable key.
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { Accept: "application/json", ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (response.ok) return answer;
  if (response.status === 401) show(null); // the session has ended
  throw Object.assign(new Error(answer.detail), answer);
}

// show renders the session, or the sign-in form for none.
async function show(session) {
  part("sign-in").hidden = Boolean(session);
  if (session) {
    const { authenticators } = await call("GET", "/users/me/authenticators");
    const rows = authenticators.map((one) => Object.assign(document.createElement("li"), { textContent: one.name ?? one.provider ?? one.id }));
    part("passkeys").replaceChildren(...rows);
    part("name").textContent = session.user.displayName ?? session.user.id;
    part("left").textContent = Math.floor(session.idleExpiresIn / 60);
  }
  part("signed-in").hidden = !session;
}

const begin = async () => show(await call("GET", "/session"));
const signIn = async (user, input) => {
  await call("POST", `/users/${encodeURIComponent(user)}/login`, input);
  tell("");
  await begin();
};
const form = part("sign-in");

const actions = {
  password: () => signIn(form.user.value, { credentials: { passKey: form.password.value } }),
  async passkey() {
    const path = `/users/${encodeURIComponent(form.user.value)}/generate-fido-authentication-request`;
    const { authenticationRequest, requestID } = await call("POST", path, { fidoProtocol: "FIDO2" });
    const credential = await navigator.credentials.get({ publicKey: parseRequestOptionsFromJSON.call(PublicKeyCredential, JSON.parse(authenticationRequest)) });
    const fidoAuthenticator = { fidoProtocol: "FIDO2", authenticationResponse: JSON.stringify(credential) };
    await signIn(form.user.value, { requestID, credentials: { fidoAuthenticator } });
  },
  async add() {
    const wanted = { fidoProtocol: "FIDO2", authenticatorSelection: { requireResidentKey: true, userVerification: "preferred" } };
    const { registrationRequest, requestID } = await call("POST", "/users/me/generate-fido-registration-request", wanted);
    const credential = await navigator.credentials.create({ publicKey: parseCreationOptionsFromJSON.call(PublicKeyCredential, JSON.parse(registrationRequest)) });
    await call("POST", "/users/me/register-fido-device", { fidoProtocol: "FIDO2", requestID, registrationResponse: JSON.stringify(credential) });
    await begin();
    tell("The passkey is added.");
  },
  signOut: async () => (await call("DELETE", "/session"), tell("You are signed out."), show(null)),
};
let busy = false; // one action at a time
const act = (name) => async (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  await actions[name]().catch((error) => tell(error.message));
  busy = false;
};
form.addEventListener("submit", act("password"));
part("with-passkey").addEventListener("click", act("passkey"));
part("add").addEventListener("click", act("add"));
part("sign-out").addEventListener("click", act("signOut"));
begin().catch(() => show(null));
