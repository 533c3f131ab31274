package browser_test

import (
	"testing"

	"countersign/internal/e2e/e2etest"
)

// beneathPrototypes answers with objects of its own that inherit from the browser's, whose
// methods and members throw on them: so does a keeper of passkeys that takes the browser's
// place. Members that bind stand in the objects themselves.
const beneathPrototypes = `for (const [name, proto, members] of [
	["create", () => AuthenticatorAttestationResponse.prototype, ["clientDataJSON", "attestationObject"]],
	["get", () => AuthenticatorAssertionResponse.prototype, ["clientDataJSON", "authenticatorData", "signature"]],
]) {
	const original = navigator.credentials[name].bind(navigator.credentials);
	const own = (from, proto, members) =>
		Object.create(proto, Object.fromEntries(members.map((member) => [member, {value: from[member], enumerable: true}])));
	navigator.credentials[name] = async (options) => {
		const made = await original(options);
		return Object.create(PublicKeyCredential.prototype, {
			id: {value: made.id}, rawId: {value: made.rawId}, type: {value: made.type}, response: {value: own(made.response, proto(), members)},
		});
	};
}`

// notTexts has a toJSON that leaves the bytes as they are, and members that are inherited.
const notTexts = `{
	PublicKeyCredential.prototype.toJSON = function () {
		return Object.create({id: this.id, rawId: this.rawId, type: this.type, response: this.response, clientExtensionResults: {}});
	};
}`

// noConveniences throws wherever a passkey can do without.
const noConveniences = `{
	const fail = () => { throw new TypeError("not here"); };
	for (const [of, name] of [[PublicKeyCredential, "toJSON"], [PublicKeyCredential, "getClientExtensionResults"], [AuthenticatorAttestationResponse, "getTransports"]]) {
		of.prototype[name] = fail;
	}
	for (const [of, name] of [[PublicKeyCredential, "authenticatorAttachment"], [AuthenticatorAssertionResponse, "userHandle"]]) {
		Object.defineProperty(of.prototype, name, {get: fail});
	}
	for (const name of ["getClientCapabilities", "isConditionalMediationAvailable", "isUserVerifyingPlatformAuthenticatorAvailable"]) {
		PublicKeyCredential[name] = fail;
	}
	for (const name of ["signalAllAcceptedCredentials", "signalCurrentUserDetails", "signalUnknownCredential"]) {
		PublicKeyCredential[name] = fail;
	}
}`

// silence never answers what the browser can do.
const silence = `for (const name of ["getClientCapabilities", "isConditionalMediationAvailable", "isUserVerifyingPlatformAuthenticatorAvailable"]) {
	PublicKeyCredential[name] = () => new Promise(() => {});
}`

// A passkey is made and used, whatever its keeper leaves out beside what binds.
func TestPasskey_MinimalProvider(t *testing.T) {
	app := e2etest.Boot(t)
	for name, script := range map[string]string{
		"beneath prototypes": beneathPrototypes, "no texts": notTexts, "no conveniences": noConveniences, "silent": silence,
	} {
		t.Run(name, func(t *testing.T) {
			e2etest.Manage(t, app, "POST", "/reset", nil)
			b := visit(t, app).plugIn().script(noSuggestions).script(script)
			b.signIn("alice@sandbox", "/authenticators")
			b.add()
			b.signOut()
			b.click("link", "Sign in")
			b.name("alice@sandbox")
			b.click("button", "Sign in with a passkey")
			b.reads("Welcome, Alice")
		})
	}
}

// The form can be sent before the browser has said what it can do.
func TestForm_SentBeforeCapabilitiesKnown(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(silence)
	b.open("/login")
	b.enter("alice@sandbox")
	b.reads("Welcome, Alice")
}
