package browser_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/i18n"
)

// The whole way of a verification with the keyboard alone, in two languages: it is
// started, played in another tab, its result appears by itself, and its evidence is
// available.
func TestVerification_ByKeyboard(t *testing.T) {
	app := e2etest.Boot(t)
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "ja"} {
		words := bundle.For(language).T
		b := visit(t, app)
		b.signIn("alice@sandbox", "/")
		b.speaks(language)
		b.open("/verifications")
		b.reach("link", words("page.verifications.start"))
		b.press(kb.Enter)
		b.reach("textbox", words("page.verification-new.first-name"))
		b.press("Ada")
		b.reach("textbox", words("page.verification-new.last-name"))
		b.press("Archer" + kb.Enter)
		b.there("heading", words("page.verification.in-progress"))
		player := b.another()
		player.speaks(language)
		player.do(chromedp.Navigate(evaluate[string](b, `location.href`)))
		player.reach("link", words("page.verification.continue"))
		player.press(kb.Enter)
		for _, step := range []string{"Choose document", "Take selfie", "I agree", "Finish"} {
			player.reach("button", step)
			player.press(kb.Enter)
		}
		b.there("heading", words("page.verification.completed"))
		b.reach("link", words("page.verification.evidence"))
		if got := b.fetched(evaluate[string](b, `document.activeElement.href`)); !strings.HasPrefix(got, "application/pdf attachment") || !strings.Contains(got, "%PDF-") {
			t.Errorf("%s: the evidence is %s", language, got)
		}
	}
}

// fetched returns the type, the disposition and the first bytes of the answer at an
// address.
func (b *tab) fetched(address string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](`fetch("`+address+`").then(async (r) =>
		[r.headers.get("Content-Type"), r.headers.get("Content-Disposition"), (await r.text()).slice(0, 5)].join(" "))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// A verification is cancelled with the keyboard; the page asks for confirmation, with
// going back as the first choice. A resumed session shows that it was cancelled.
func TestVerification_CancelledByKeyboard(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.startVerification()
	player := b.another()
	player.do(chromedp.Navigate(evaluate[string](b, `location.href`)))
	player.click("link", "Continue in this browser")
	player.click("button", "Choose document")
	player.there("button", "Take selfie")
	b.reach("link", "Cancel this check")
	b.press(kb.Enter)
	b.resting("heading Cancel this check?")
	for _, want := range []string{"link Go back", "button Cancel this check"} {
		if at := b.forward(); at != want {
			t.Fatalf("after the question comes %s, not %s", at, want)
		}
	}
	b.press(kb.Enter)
	b.there("heading", "Cancelled")
	b.missing("link", "Continue")
	b.missing("link", "Cancel this check")
	player.click("button", "Take selfie")
	player.there("heading", "This verification was cancelled")
}

// With forced colours, and on the narrowest screen, everything can be distinguished.
func TestVerification_ForcedColours(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("carol@sandbox", "/")
	id := b.startVerification()
	b.wear(look{"narrow", "light", 320})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	page := "/verifications/" + id
	for _, path := range []string{"/verifications", "/verifications/new", page, page + "?ask=cancel", page + "?ask=erase"} {
		b.open(path)
		b.examine("forced " + strings.ReplaceAll(strings.ReplaceAll(path, id, ""), "/", " "))
	}
}
