package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// focused returns the focused element as "role name", or "" if there is none, for example
// between two pages.
func (b *tab) focused() string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	active, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.activeElement", ObjectGroup: "found"})
	if err != nil {
		return ""
	}
	tree, err := chromedp.Call(ctx, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: active.Result.ObjectID, FetchRelatives: new(bool)})
	if err != nil {
		return ""
	}
	role, name := axText(tree.Nodes[0].Role), axText(tree.Nodes[0].Name)
	if role == "RootWebArea" || role == "generic" || role == "none" {
		return ""
	}
	return role + " " + name
}

func axText(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	var text string
	if json.Unmarshal(value.Value, &text) != nil {
		return string(value.Value)
	}
	return text
}

// ring returns the reason why the focus is not visible, or "".
const ring = `(() => {
	const at = document.activeElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
	const drawn = style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2;
	const onScreen = box.width > 0 && box.top > -1 && box.left > -1 && box.bottom < innerHeight + 1 && box.right < innerWidth + 1;
	return drawn && onScreen ? "" : JSON.stringify([style.outline, box, innerWidth, innerHeight, scrollY]);
})()`

// forward presses the tab key, and returns the focused element, which must be visible.
func (b *tab) forward() string {
	b.t.Helper()
	b.do(chromedp.KeyEvent(kb.Tab))
	at := b.focused()
	if at != "" {
		var last string
		b.until("seeing the focus on "+at, func(ctx context.Context) (bool, string) {
			unseen, err := chromedp.Run(ctx, chromedp.Evaluate[string](ring))
			if err == nil {
				last = unseen
			}
			return err == nil && unseen == "", last
		})
	}
	return at
}

// tour returns everything that the tab key reaches, in order, from first on, wherever the
// focus is now.
func (b *tab) tour(first string) []string {
	b.t.Helper()
	var stops []string
	for range 50 {
		at := b.forward()
		switch {
		case at == "": // the browser's own buttons
		case len(stops) > 0 && at == stops[0]:
			start := max(0, slices.Index(stops, first))
			return slices.Concat(stops[start:], stops[:start])
		default:
			stops = append(stops, at)
		}
	}
	b.t.Fatalf("the tab key does not come round: %q", stops)
	return nil
}

// reach tabs to the element of role and name.
func (b *tab) reach(role, name string) {
	b.t.Helper()
	b.there(role, name)
	var passed []string
	for len(passed) < 100 {
		at := b.forward()
		if at == role+" "+name {
			return
		}
		passed = append(passed, at)
	}
	b.t.Fatalf("the tab key does not reach the %s %q: %q", role, name, passed)
}

// resting waits until the focus is on an element.
func (b *tab) resting(on string) {
	b.t.Helper()
	b.until("the focus on "+on, func(context.Context) (bool, string) {
		at := b.focused()
		return at == on, fmt.Sprintf("it is on %q", at)
	})
}

// The whole way with the keyboard alone.
func TestPages_KeyboardAlone(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.open("/")
	b.reach("link", "Sign in")
	b.press(kb.Enter)
	b.resting("textbox User name")
	b.press("alice@sandbox")
	b.reach("checkbox", "Remember me on this device")
	b.press(" ")
	b.press(kb.Enter)
	b.resting("button Sign in with a passkey")
	b.reach("textbox", "Password")
	b.press("Sandbox-1!")
	b.press(kb.Enter)
	b.reach("link", "Manage your passkeys")
	b.press(kb.Enter)
	b.reach("button", b.adding())
	b.press(" ")
	b.resting("region Your passkey is ready")
	b.reach("textbox", "Name of the new passkey")
	b.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.press("My phone" + kb.Enter)
	b.says("status", "The new name is saved.")
	b.reach("button", "Rename My phone")
	b.press(" ")
	b.resting("textbox Name")
	b.press(kb.End + " 2" + kb.Enter)
	b.reach("button", "Remove My phone 2")
	b.press(kb.Enter)
	b.resting("heading Remove “My phone 2”?")
	b.reach("link", "Go back")
	b.press(kb.Enter)
	b.reach("link", "Account")
	b.press(kb.Enter)
	b.reach("button", "Save language")
	b.press(kb.Enter)
	b.says("status", "Your language is saved.")
	b.reach("button", "Sign out")
	b.press(kb.Enter)
	b.says("status", "You are signed out.")
}

// The tab key visits every control once, in reading order, and nothing else.
func TestTabKey_VisitsEveryControlOnce(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	e2etest.Browser(t, app).SignedIn("alice@sandbox")
	b := visit(t, app).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.present(false) // the suggestions under the password field wait
	head := []string{"link Skip to the content", "link Countersign", "link Passkeys", "link Packages", "link Identity checks", "link Account", "button Sign out"}
	goesTo := func(path string, rest ...string) {
		t.Helper()
		b.open(path)
		for _, stop := range rest {
			role, name, _ := strings.Cut(stop, " ")
			b.there(role, name)
		}
		if got, want := b.tour(head[0]), append(slices.Clone(head), rest...); !slices.Equal(got, want) {
			t.Errorf("%s: the tab key goes to\n%q, want\n%q", path, got, want)
		}
	}
	goesTo("/", "link Manage your passkeys", "link Go to the packages", "link Go to the identity checks", "link Your account")
	goesTo("/authenticators", "button Rename Passkey", "button Remove Passkey", "radio This device", "button Add a passkey")
	goesTo("/account", "button End Go-http-client/1.1", "button End all other sessions", "combobox Language of these pages", "button Save language",
		"checkbox Tell me by e-mail when a package of mine is completed, declined or cancelled, or expires", "combobox Language of e-mails", "button Save e-mail settings", "button Get an activation password")
	clock.Advance(11 * time.Minute)
	goesTo("/login", "textbox User name", "button Sign in with a passkey", "textbox Password", "checkbox Show password", "button Sign in with your password")
}

func TestSkipLink_LeadsToContent(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.signIn("alice@sandbox", "/authenticators")
	if at := b.forward(); at != "link Skip to the content" {
		t.Fatalf("the first stop is %s", at)
	}
	b.press(kb.Enter)
	b.reach("button", b.adding())
	b.open("/account")
	b.forward()
	b.press(kb.Enter)
	if at := b.forward(); at != "link Create a passkey" {
		t.Errorf("after the skip comes %s", at)
	}
}
