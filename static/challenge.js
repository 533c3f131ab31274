// The sign-in request of one person: asked for once, used for autofill and for
// the button alike, and renewed before it expires.

import { send } from "./http.js";
import { timeoutOf } from "./webauthn.js";

export class SignInRequests {
  #path;
  #lifetime;
  #held = null;
  #asking = null;

  /** user: userID@domain; lifetime: how long the server keeps a challenge, in ms. */
  constructor(user, lifetime) {
    this.#path = `/users/${encodeURIComponent(user)}`;
    this.#lifetime = lifetime;
  }

  /** A request {options, requestID, left()} with at least half of its life before it. */
  async current() {
    const held = await this.#held;
    if (!held || held.left() < held.lifetime / 2) {
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

  /** Stops asking, if an answer is still awaited. */
  abandon() {
    this.#asking?.abort();
  }

  async #ask() {
    const asked = Date.now();
    this.#asking = new AbortController();
    const path = `${this.#path}/generate-fido-authentication-request`;
    const { authenticationRequest, requestID } = await send("POST", path, { fidoProtocol: "FIDO2" }, this.#asking.signal);
    const lifetime = Math.min(timeoutOf(authenticationRequest) || this.#lifetime, this.#lifetime);
    return { options: authenticationRequest, requestID, lifetime, left: () => asked + lifetime - Date.now() };
  }
}
