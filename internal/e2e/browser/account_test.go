package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// A person who signed in with their only passkey is warned before they lock themselves
// out.
func TestPasskey_WarnsBeforeRemovingLast(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.signOut()
	b.open("/login?next=/authenticators")
	b.fill("User name", "alice@sandbox")
	b.click("button", "Continue")
	b.at("/authenticators") // the authenticator picks a suggestion
	b.click("button", "Remove Passkey")
	b.reads("This is your only way to sign in that we know of.")
	b.click("button", "Remove it all the same")
	b.says("status", "It was removed and can no longer be used to sign in.")
}

func TestPasskey_OffersEndingOtherSessions(t *testing.T) {
	app := e2etest.Boot(t)
	elsewhere := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	b := visit(t, app).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.there("heading", "Sign out everywhere else?")
	b.reads("you are signed in in one other place")
	b.click("button", "Save name")
	b.says("status", "The new name is saved.")
	b.there("heading", "Sign out everywhere else?") // naming the passkey first loses nothing
	b.click("button", "End all other sessions")
	b.says("status", "All other sessions have ended.")
	elsewhere.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	b.missing("heading", "Sign out everywhere else?")
}

func TestAccountPage_ShowsAndEndsSessions(t *testing.T) {
	app := e2etest.Boot(t)
	elsewhere := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	b := visit(t, app)
	b.signIn("alice@sandbox", "/account")
	b.there("heading", "Chrome on Linux This session")
	b.reads("IP address 127.0.0.1")
	b.there("button", "End all other sessions")
	b.click("button", "End Go-http-client/1.1")
	b.says("status", "The session has ended.")
	b.missing("button", "End all other sessions")
	elsewhere.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")

	b.there("combobox", "Language of these pages")
	b.click("button", "Save language")
	b.says("status", "Your language is saved.")

	b.signOut()
	b.do(chromedp.NavigateBack())
	b.there("heading", "Sign in") // no personal address is kept to return to
	b.silent("alice")
}

func TestLogin_RemembersUserNameWithConsent(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.open("/login")
	b.click("checkbox", "Remember me on this device")
	b.enter("alice@sandbox")
	b.signOut()
	b.click("link", "Sign in")
	b.reads("This device remembers your user name.")
	b.missing("button", "Continue")
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")
	b.signOut()

	b.open("/login?next=/account")
	b.click("button", "Change user name")
	b.says("status", "This device no longer remembers your user name.")
	b.enter("bob@sandbox")
	b.at("/account")
	b.reads("bob@sandbox")
}

func TestSession_ExpiredLeadsBack(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/authenticators")
	clock.Advance(31 * time.Minute)
	b.click("link", "Account")
	b.enter("alice@sandbox")
	b.at("/account")

	clock.Advance(31 * time.Minute)
	b.click("button", "Save language") // a form sent after the session ended
	b.enter("alice@sandbox")
	b.says("status", "Your session had ended, so this was not done. Please do it once more.")
	b.there("heading", "Your account")
}

// A link on another site leads a signed-in person to their page, although the browser
// withholds the strict cookie at first.
func TestAccountPage_LinkFromAnotherSite(t *testing.T) {
	app := e2etest.Boot(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Elsewhere</title><a href="%s/account">Over there</a>`, app.URL())
	}))
	defer elsewhere.Close() // its address is 127.0.0.1: another site than localhost
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.do(chromedp.Navigate(elsewhere.URL))
	b.click("link", "Over there")
	b.there("heading", "Your account")
	b.at("/account")

	b.signOut()
	b.do(chromedp.Navigate(elsewhere.URL))
	b.click("link", "Over there")
	b.until("being led to the sign-in", func(ctx context.Context) (bool, string) {
		here, err := chromedp.Run(ctx, chromedp.Location())
		return err == nil && here == app.URL()+"/login?next=%2Faccount", here
	})
}
