package browser_test

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// travel moves by so many pages through the history, back below zero, to whatever page
// that leads to.
func (b *tab) travel(by int64) {
	b.t.Helper()
	past := call(b, page.GetNavigationHistory, cdp.Empty{})
	call(b, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: past.Entries[past.CurrentIndex+by].ID})
}

// Going back and reloading between the steps of a sign-in sends no form and loses
// nothing, with scripts and without.
func TestSignIn_BackAndReload(t *testing.T) {
	app := e2etest.Boot(t)
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, app)
			if !scripts {
				b.withoutScripts()
			}
			b.open("/login?next=/account")
			b.name("alice@sandbox")
			b.at("/login?next=%2Faccount&step=password")
			b.do(chromedp.Reload())
			b.there("button", "Sign in with your password")
			b.reads("Sign in")
			b.travel(-1)
			b.there("button", "Continue")
			b.travel(+1)
			b.there("button", "Sign in with your password")
			b.click("button", "Change user name")
			b.at("/login?next=%2Faccount")
			b.enter("bob@sandbox")
			b.at("/account")
			b.reads("bob@sandbox")
			b.travel(-1)
			b.there("heading", "Your account") // going back does not return to a finished sign-in
			b.signOut()
		})
	}
}
