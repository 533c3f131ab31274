package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// name enters the user name on the sign-in page.
func (b *tab) name(user string) {
	b.t.Helper()
	b.fill("User name", user)
	b.click("button", "Continue")
	b.there("button", "Sign in with your password")
}

// enter enters the user name and the password.
func (b *tab) enter(user string) {
	b.t.Helper()
	b.name(user)
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")
}

// signIn signs in with the password and goes to path: with scripts like a single-page application,
// which takes less than the page. Tests of the sign-in itself use the page.
func (b *tab) signIn(user, path string) {
	b.t.Helper()
	if b.scriptless {
		b.open("/login")
		b.enter(user)
		b.there("button", "Sign out")
	} else {
		b.open("/errors/ceremony.spent") // a page that asks nothing of the platform
		b.awaits(fmt.Sprintf(`fetch("/users/%s/login", {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"credentials":{"passKey":"Sandbox-1!"}}'}).then((answer) => answer.ok)`, user))
	}
	b.open(path)
}

// awaits waits for the promise of an expression, which must become true.
func (b *tab) awaits(promise string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	if kept, err := chromedp.Run(ctx, chromedp.Evaluate[bool](promise, chromedp.EvalAwaitPromise)); err != nil || !kept {
		b.t.Fatalf("%s: %v, %v", promise, kept, err)
	}
}

// signOut signs out from any page.
func (b *tab) signOut() {
	b.t.Helper()
	b.click("button", "Sign out")
	b.says("status", "You are signed out.")
}

// adding is what the button says that adds a passkey, the first or a further one.
func (b *tab) adding() string {
	b.t.Helper()
	if evaluate[bool](b, `document.querySelector("[data-authenticator]") === null`) {
		return "Create a passkey"
	}
	return "Add a passkey"
}

// add registers a passkey on the page of passkeys.
func (b *tab) add() {
	b.t.Helper()
	b.click("button", b.adding())
	b.there("heading", "Your passkey is ready")
}

// noSuggestions makes a browser without passkeys in its autofill: an authenticator that
// always consents would pick one before any click.
const noSuggestions = `PublicKeyCredential.getClientCapabilities = async () => ({conditionalGet: false})`

// The product's main job, by a person who has never been here.
func TestPasskey_RegisterAndSignIn(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(noSuggestions)
	b.open("/")
	b.click("link", "Sign in")
	b.enter("alice@sandbox")
	b.reads("Welcome, Alice")
	b.click("link", "Manage your passkeys")
	b.there("heading", "Create your first passkey")
	b.click("button", b.adding())
	b.there("heading", "Your passkey is ready")
	b.fill("Name of the new passkey", "My phone")
	b.click("button", "Save name")
	b.says("status", "The new name is saved.")
	b.there("heading", "My phone")
	b.signOut()

	b.click("link", "Sign in")
	b.name("alice@sandbox")
	b.click("button", "Sign in with a passkey")
	b.reads("Welcome, Alice")
	b.click("link", "Account")
	b.reads("Signed in with: Passkey")
}

func TestAutofill_SignsIn(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.signOut()
	b.open("/login?next=/account")
	b.fill("User name", "alice@sandbox")
	b.click("button", "Continue")
	b.at("/account") // the authenticator picks the suggestion by itself
	b.reads("Signed in with: Passkey")
}

// The person chooses where the passkey is kept, with the keyboard too, and the device alone is
// offered first where it can keep one.
func TestPasskey_StorageChosenByUser(t *testing.T) {
	for name, keyboard := range map[string]bool{"with the mouse": false, "with the keyboard": true} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, e2etest.Boot(t)).plugIn()
			built := b.key
			b.signIn("alice@sandbox", "/authenticators")
			part := hand{tab: b, keyboard: keyboard}.in("Where should the passkey be kept?")
			if !part.is(part.only("radio", "This device"), "this.checked") {
				t.Error("this device is not offered first")
			}
			b.plugInto(webauthn.AuthenticatorTransportUsb)
			if keyboard {
				part.goes("radio", "This device")
				b.press(kb.ArrowDown)
			} else {
				part.presses("radio", "Another device or security key")
			}
			b.add()
			if n := b.passkeys(); n != 1 {
				t.Errorf("the security key keeps %d passkeys", n)
			}
			b.reads("security key")
			b.open("/authenticators")
			b.add()
			b.key = built
			if n := b.passkeys(); n != 1 {
				t.Errorf("the device keeps %d passkeys", n)
			}
		})
	}
}

// A device that cannot keep a passkey is not offered first.
func TestPasskey_DeviceCannotKeepIt(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugInto(webauthn.AuthenticatorTransportUsb)
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	if n := b.passkeys(); n != 1 {
		t.Errorf("the security key keeps %d passkeys", n)
	}
}

// A prompt may never end; there is always another way.
func TestPrompt_NeverSettles(t *testing.T) {
	const deaf = `navigator.credentials.create = navigator.credentials.get = () => new Promise(() => {})`
	for name, script := range map[string]string{"nobody touches the key": "", "the browser ignores being stopped": deaf} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, e2etest.Boot(t)).plugIn().script(stopwatch).script(script)
			b.present(false)
			b.signIn("alice@sandbox", "/authenticators")

			b.click("button", b.adding())
			b.says("status", "Follow the instructions of your browser to create the passkey.")
			b.silent("This is taking longer than usual.")
			b.pass(15 * time.Second)
			b.reads("This is taking longer than usual.")
			b.says("status", "Still waiting for your passkey.")
			b.click("button", "Go back")
			b.says("status", "Stopped. Nothing has changed.")
			b.silent("This is taking longer than usual.")

			b.click("button", b.adding())
			b.pass(15 * time.Second)
			b.click("button", "Try the passkey again")
			b.says("status", "Follow the instructions of your browser to create the passkey.")
			b.pass(5 * time.Minute)
			b.says("status", "No passkey responded in time. You can try again.")

			if script == "" { // only a script can get one
				b.present(true)
				b.add()
				b.present(false)
			}
			b.signOut()
			b.click("link", "Sign in")
			b.name("alice@sandbox")
			b.click("button", "Sign in with a passkey")
			b.says("status", "Follow the instructions of your browser to use your passkey.")
			b.pass(15 * time.Second)
			b.click("button", "Use your password instead")
			b.press("Sandbox-1!") // the field has the focus
			b.click("button", "Sign in with your password")
			b.reads("Welcome, Alice")
		})
	}
}

// afterTheForm starts the page's suggestions just after the form was sent, and records
// the page's further requests.
const afterTheForm = `{
	const [start, request] = [window.setTimeout, window.fetch];
	window.setTimeout = (act, delay, ...args) => {
		if (delay !== 1_000) {
			return start(act, delay, ...args);
		}
		document.addEventListener("submit", () => {
			sessionStorage.asked = "";
			act();
		});
		window.ready = true;
	};
	window.fetch = (address, ...args) => {
		if (!address.endsWith("/accepted-passkeys")) { // a signed-in page's, for the Signal API
			sessionStorage.asked += address;
		}
		return request(address, ...args);
	};
}`

// After the password was sent, no passkey request is made: its answer would replace the
// sign-in's cookie by a pre-session's.
func TestPasskey_NoRequestAfterPassword(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(afterTheForm)
	b.open("/login")
	b.name("alice@sandbox")
	b.fill("Password", "Sandbox-1!")
	b.holds("window.ready")
	b.click("button", "Sign in with your password")
	b.there("button", "Sign out")
	if asked := evaluate[string](b, `sessionStorage.asked ?? "unknown"`); asked != "" {
		t.Errorf("the page asked for %s", asked)
	}
}

// holds waits until expression is true on the page.
func (b *tab) holds(expression string) {
	b.t.Helper()
	b.until(expression, func(ctx context.Context) (bool, string) {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && yes, fmt.Sprint(err)
	})
}

// A sign-in gets too old while the page is open: the page leads to a new one, and back.
func TestSignIn_TooOldIsRenewed(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	b := visit(t, app).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	clock.Advance(11 * time.Minute)
	b.expect(http.StatusForbidden)
	b.click("button", b.adding())
	b.says("alert", "Please sign in again")
	b.click("link", "Sign in again")
	b.there("heading", "Confirm that it is you")
	b.missing("button", "Sign in with a passkey") // the person has none yet
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")
	b.at("/authenticators")
	b.add()

	b.present(false) // the suggestions under the password field wait
	clock.Advance(11 * time.Minute)
	b.open("/authenticators")
	b.reads("Before you can change your passkeys, please sign in once more.")
	b.missing("button", "Add a passkey")
	b.click("button", "Remove Passkey")
	b.there("heading", "Confirm that it is you")
	b.holds("performance.getEntriesByType('resource').some((e) => e.name.endsWith('generate-fido-authentication-request'))")
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")
	b.click("button", "Yes, remove it") // back at the question
	b.says("status", "It was removed and can no longer be used to sign in.")
}
