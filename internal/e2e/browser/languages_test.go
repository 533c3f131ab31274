package browser_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"

	"countersign/internal/e2e/e2etest"
)

// speaks sets the browser's preferred language.
func (b *tab) speaks(language string) {
	b.t.Helper()
	call(b, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": language}})
}

// cut lists the texts that overflow their elements; a text field's own text may, what is there
// for screen readers alone, and the tabs of a list, which scroll.
const cut = `[...document.body.querySelectorAll("*")].filter((element) =>
	element.checkVisibility() && !element.closest(".sr") && element.clientWidth > 1 && element.localName !== "input" && !element.matches(".list-tabs") &&
	getComputedStyle(element).display !== "inline" && element.scrollWidth > element.clientWidth + 1
).map((element) => "it does not fit: " + element.innerText)`

// Every page fits the narrowest phone in every language, and declares its language.
func TestPages_FitInEveryLanguage(t *testing.T) {
	app := e2etest.Boot(t, "CHANGE_PASSWORD_URL=https://account.example/password")
	e2etest.Browser(t, app).SignedIn("alice@sandbox").Register(e2etest.NewPasskey(app))
	id := firstAuthenticator(e2etest.Browser(t, app).SignedIn("alice@sandbox"))
	pages := []string{
		"/", "/login", "/login?again=yes", "/authenticators", "/authenticators?added=device", "/authenticators?rename=" + id,
		"/authenticators?remove=" + id, "/authenticators?notice=removed", "/account", "/nothing/here",
		"/errors/orchestration.activation-expired", "/errors/platform.unavailable", "/errors/account.password-expired", "/errors/session.step-up",
	}
	operator, b := visit(t, app), visit(t, app)
	operator.signIn("carol@sandbox", "/")
	b.expect(http.StatusNotFound)
	b.signIn("alice@sandbox", "/")
	for _, language := range []string{"en", "de", "fr", "es", "ja"} {
		operator.speaks(language)
		operator.navigates()
		b.speaks(language)
		b.navigates()
		b.wear(look{"narrow", "light", 360})
		fits := func(path string) {
			t.Helper()
			if got := evaluate[string](b, "document.documentElement.lang"); got != language {
				t.Errorf("%s is in %q", path, got)
			}
			for _, finding := range slices.Concat(evaluate[[]string](b, layout), evaluate[[]string](b, cut)) {
				t.Errorf("%s in %s: %s", path, language, finding)
			}
		}
		for _, path := range pages {
			b.open(path)
			fits(path)
		}
		b.open("/account")
		b.submit("activation-password")
		fits("the activation password")
	}
}

// navigates holds the navigation to one row: its links where they fit, with little room to
// spare, else the button that shows them.
func (b *tab) navigates() {
	b.t.Helper()
	b.open("/verifications") // the longest of the words, which is bold here
	most := evaluate[int64](b, `parseInt(document.querySelector('link[href$="/menu.css"]').media.match(/\d+/)[0]) * 16`)
	for width, folded := range map[int64]bool{320: true, most: true, most + 1: false} {
		b.wear(look{"navigation", "light", width})
		at := evaluate[string](b, `(() => {
			const box = (what) => document.querySelector(what).getBoundingClientRect();
			const rows = new Set([...document.querySelectorAll("#nav > *")].map((link) => link.getBoundingClientRect().top)).size;
			const spare = box("#nav").left - box(".brand").right;
			return JSON.stringify({
				folded: document.querySelector(".menu").checkVisibility() && !document.querySelector("#nav").checkVisibility(),
				wide: !document.querySelector(".menu").checkVisibility() && rows === 1 && spare >= 8 && (spare < 96 || document.documentElement.lang === "ja"),
				row: box(".top").height <= 72 && document.scrollingElement.scrollWidth <= innerWidth, spare,
			});
		})()`)
		if !strings.Contains(at, fmt.Sprintf(`{"folded":%v,"wide":%v,"row":true`, folded, !folded)) {
			b.t.Errorf("%d pixels in %s: %s", width, evaluate[string](b, "document.documentElement.lang"), at)
		}
	}
	b.wear(look{"navigation", "light", 320})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if evaluate[bool](b, `document.querySelector(".menu").checkVisibility()`) {
		b.t.Error("the menu is printed")
	}
}

// firstAuthenticator returns the id of the person's first authenticator.
func firstAuthenticator(c *e2etest.Client) string {
	c.T.Helper()
	list, _ := c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	if len(list) == 0 {
		c.T.Fatal("nothing is registered")
	}
	first, _ := list[0].(map[string]any)
	id, _ := first["id"].(string)
	return id
}
