package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"

	"countersign/internal/e2e/e2etest"
)

// clickTwice presses the button of that name as somebody does who double-clicks everything.
func (b *tab) clickTwice(role, name string) {
	b.t.Helper()
	var at struct {
		X, Y float64
		Free bool
	}
	b.until(fmt.Sprintf("finding the %s %q", role, name), func(ctx context.Context) (bool, string) {
		nodes, err := b.all(ctx, role, name)
		if err != nil || len(nodes) != 1 {
			return false, fmt.Sprintf("found %d (%v)", len(nodes), err)
		}
		answer, err := ask[json.RawMessage](ctx, nodes[0], point)
		if err == nil {
			err = json.Unmarshal(answer, &at)
		}
		return err == nil && at.Free, fmt.Sprintf("it is covered (%v)", err)
	})
	for i := range int64(2) {
		for _, kind := range []input.DispatchMouseEventType{"mousePressed", "mouseReleased"} {
			call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at.X, Y: at.Y, Button: input.MouseButtonLeft, ClickCount: i + 1})
		}
	}
	b.settle()
}

// A person who double-clicks has each thing done once, and reads no error, also where the platform is
// slow: the browser gives up the first request then, while it is under way.
func TestButton_DoubleClickActsOnce(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app).plugIn()
	b.signIn("alice@sandbox", "/")
	lease := "/packages/" + sent(t, app, inOrder("Lease", "bob@sandbox.example"))
	own := "/packages/" + sent(t, app, inOrder("To sign", "alice@sandbox.example"))
	prepared := func() {
		b.open("/packages/new")
		b.takes(upload{"Deed.pdf", string(threePages)})
		b.reads("3 pages")
		b.fill("First name", "Bob")
		b.fill("Last name", "Signer")
		b.fill("E-mail", "bob@sandbox.example")
	}
	for _, press := range []struct {
		role, name string
		arrive     func()
		operation  string // which the platform is asked once
		then       func()
	}{
		{"button", "Remind", func() { b.open(lease) }, "notifyRole", func() { b.says("status", "Reminder sent") }},
		{"button", "Save", func() { b.open(lease + "/recipients/bob"); b.fill("First name", "Bobby") }, "updateRole", func() { b.says("status", "The recipient is corrected.") }},
		{"button", "Cancel this package", func() { b.open(lease + "?ask=cancel"); b.fill("Reason", "No") }, "updatePackage", func() { b.says("status", "The package is cancelled.") }},
		{"link", "Sign now", func() { b.open(own) }, "createSignerToken", func() { b.there("button", "Accept") }},
		{"button", "Save as draft", prepared, "updatePackage", func() { b.says("status", "The draft is saved.") }},
		{"button", "Send", prepared, "updatePackage", func() { b.says("status", "The package is sent.") }},
		{"button", "Start", func() {
			b.open("/verifications/new")
			b.fill("First name", "Ada")
			b.fill("Last name", "Archer")
		}, "createTransaction", func() { b.there("heading", "Identity check of Ada Archer") }},
		{"button", "Get an activation password", func() { b.open("/account") }, "registerUser", func() { b.there("button", "Get another one") }},
		{"button", "Create a passkey", func() { b.open("/authenticators") }, "registerFidoDevice", func() { b.there("heading", "Your passkey is ready") }},
	} {
		press.arrive()
		b.there(press.role, press.name)
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		e2etest.Manage(t, app, "POST", "/chaos", members{"rate": 1, "delay": "200ms", "seed": 1})
		b.clickTwice(press.role, press.name)
		press.then()
		e2etest.Manage(t, app, "DELETE", "/chaos", nil)
		times := 0
		for _, operation := range e2etest.Journal(t, app) {
			if operation == press.operation {
				times++
			}
		}
		if times != 1 {
			t.Errorf("%s: %s was asked %d times: %v", press.name, press.operation, times, e2etest.Journal(t, app))
		}
	}
	if got := b.passkeys(); got != 1 {
		t.Errorf("%d passkeys", got)
	}
}
