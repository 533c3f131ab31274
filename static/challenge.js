// The sign-in request of one person: asked for once, used for autofill and for
// the button alike, and renewed before it expires.

import { send } from "./http.js";
import { timeoutOf } from "./webauthn.js";

export class SignInRequests {
  #path;
  #lifetime;
  #held = null;

  /** user: userID@domain; lifetime: how long the server keeps a challenge, in ms. */
  constructor(user, lifetime) {
    this.#path = `/users/${encodeURIComponent(user)}`;
    this.#lifetime = lifetime;
  }

  /** A request {options, requestID, left()} with at least the given share (0 to 1) of its life before it. */
  async current(share) {
    const held = await this.#held;
    if (!held || held.left() < share * held.lifetime) {
      this.#held = this.#ask();
      this.#held.catch(() => (this.#held = null));
    }
    return this.#held;
  }

  /** Sends the answer to request; it can be answered once. */
  async answer(request, credential) {
    this.#held = null;
    return send("POST", `${this.#path}/login`, {
      objectType: "LoginInput",
      requestID: request.requestID,
      credentials: { fidoAuthenticator: { authenticationResponse: JSON.stringify(credential) } },
    });
  }

  async #ask() {
    const asked = Date.now();
    const { authenticationRequest, requestID } = await send("POST", `${this.#path}/generate-fido-authentication-request`, { fidoProtocol: "FIDO2" });
    const lifetime = Math.min(timeoutOf(authenticationRequest) || this.#lifetime, this.#lifetime);
    return { options: authenticationRequest, requestID, lifetime, left: () => asked + lifetime - Date.now() };
  }
}
