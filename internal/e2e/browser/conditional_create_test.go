package browser_test

import (
	"testing"

	"countersign/internal/e2e/e2etest"
)

// makesAlone is a browser whose password manager makes passkeys by itself: no real one does in a
// test. With waits it never ends, and like a browser it refuses others meanwhile.
const makesAlone = `PublicKeyCredential.getClientCapabilities = async () => ({conditionalCreate: true, conditionalGet: false});
const create = navigator.credentials.create.bind(navigator.credentials);
let waiting = false;
navigator.credentials.create = ({mediation, ...options}) => {
	if (waiting) {
		return Promise.reject(new DOMException("A request is already pending.", "OperationError"));
	}
	if (mediation !== "conditional" || !sessionStorage.waits) {
		return create(options);
	}
	waiting = true;
	return new Promise((_, reject) => options.signal.addEventListener("abort", () => {
		waiting = false;
		reject(options.signal.reason);
	}));
};`

// After a sign-in with a password the page that it leads to tells of the passkey that was made,
// and one click removes it.
func TestPasskey_CreatedAfterPasswordSignIn(t *testing.T) {
	b := visit(t, e2etest.Boot(t, "CONDITIONAL_CREATE=on")).plugIn().script(makesAlone)
	b.open("/login?next=/account")
	b.enter("alice@sandbox")
	b.says("status", "A passkey was added to ")
	b.photograph("made alone")
	b.click("button", "Remove it")
	b.says("status", "The passkey was removed.")
	b.open("/authenticators")
	b.there("heading", "Create your first passkey")
	b.signOut()
	b.open("/login?next=/authenticators")
	b.enter("alice@sandbox")
	b.there("heading", "Create your first passkey") // at most once in a while
}

// What the person asks for comes first: a passkey that waits to be made gives way.
func TestPasskey_AutomaticCreationYieldsToUser(t *testing.T) {
	b := visit(t, e2etest.Boot(t, "CONDITIONAL_CREATE=on")).plugIn().script(makesAlone + "sessionStorage.waits = 1;")
	b.open("/login?next=/authenticators")
	b.enter("alice@sandbox")
	b.add()
}
