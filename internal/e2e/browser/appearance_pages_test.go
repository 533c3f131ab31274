package browser_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// What a person came for is at the top of a package's page and of the first page, and each
// page begins where the head does.
func TestPages_MainContentOnTop(t *testing.T) {
	app := e2etest.Boot(t, "OPERATORS=carol@sandbox")
	mine, several, done, both := fillPackages(t, app)
	bob, alice, carol := visit(t, app), visit(t, app), visit(t, app)
	bob.signIn("bob@sandbox", "/")
	bob.looksLike(slices.Concat(signerAppearances("/packages/"+several), homeAppearances()))
	alice.signIn("alice@sandbox", "/")
	alice.looksLike(slices.Concat(phoneHomeAppearances(), ownerAppearances("/packages/"+mine), doneAppearances("/packages/"+done), doneAppearances("/packages/"+both), headAppearances("/packages/"+mine)))
	alice.open("/packages/" + mine + "?ask=cancel")
	alice.holds(`getComputedStyle(document.activeElement).outlineStyle === "none" && document.activeElement.localName === "h2"`)
	carol.signIn("carol@sandbox", "/")
	carol.looksLike(headAppearances("/custom-fields", "/custom-fields?new=yes", "/people"))
}

// fillPackages sends packages of several pages, and has two of them signed.
func fillPackages(t *testing.T, app *e2etest.App) (mine, several, done, both string) {
	t.Helper()
	pages := base64.StdEncoding.EncodeToString(pagesOf("The rent is due on the first.", "The roof is new."))
	paged := func(name string, emails ...string) members {
		p := inOrder(name, emails...)
		p["documents"].([]any)[0].(members)["base64Content"] = pages
		return p
	}
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Eventually(t, "the index is whole", func() bool { return alice.Send("GET", "/api/packages?mine=owner", nil).Status == http.StatusOK })
	create := func(p members) string {
		return alice.Send("POST", "/api/packages", p).Want(http.StatusOK).Text("id")
	}
	mine = create(paged(titled(120), "tom.tenant@sandbox.example", "verena@sandbox.example", "lara@sandbox.example"))
	for _, n := range []int{3, 40, 120} {
		several = create(paged(titled(n), "bob@sandbox.example", "tom@sandbox.example"))
	}
	done = create(paged(titled(120), "bob@sandbox.example"))
	two := paged(titled(120), "bob@sandbox.example")
	second := members{"id": "annex", "name": "Annex", "base64Content": pages}
	two["documents"] = append(two["documents"].([]any), second)
	both = create(two)
	for _, id := range []string{done, both} {
		e2etest.Sign(t, app, e2etest.Browser(t, app).SignedIn("bob@sandbox"), id)
	}
	return mine, several, done, both
}

// signerAppearances are the page of a package for who has to sign it now.
func signerAppearances(path string) []appearance {
	return []appearance{{name: "package signer", path: path, widths: []int64{1280, 1000, 390}, languages: inTwo, script: `
		const desk = innerWidth >= 1280, page = box(one(".picture")), around = box(one(".documents"));
		if (/\bSent\b|Versendet|送信済み/.test(one("main").innerText)) found.push("it says that it is sent");
		if (!filled()?.href.endsWith("/sign")) found.push("the filled button is " + filled()?.innerText);
		within("Sign now", box(filled()).top, 0, desk ? 400 : 500);
		if (desk) within("first page", page.top, 0, 760);
		within("margins", page.left - around.left - (around.right - page.right), -2, 2);
		if (one(".qr")) found.push("the code is open");`}}
}

// ownerAppearances are the page of a package for who has sent it.
func ownerAppearances(path string) []appearance {
	return []appearance{{name: "package owner", path: path, widths: []int64{1280, 390}, languages: inTwo, script: `
		const desk = innerWidth >= 1280;
		within("steps", all(".step").length, 3, 3);
		if (!desk) return found;
		for (const step of all(".step")) within("height of " + step.innerText, box(step).height, 0, 60);
		within("first page", box(one(".picture")).top, 0, 700);`}}
}

// doneAppearances are the page of a package that all have signed.
func doneAppearances(path string) []appearance {
	return []appearance{{name: "package done " + path[len("/packages/"):][:4], path: path, widths: []int64{1280, 390}, languages: inTwo, script: `
		within("filled buttons", all("main .button.primary").length, 1, 1);
		if (!/download|herunterladen|descargar|télécharger|ダウンロード/i.test(filled().innerText)) found.push("the filled button is " + filled().innerText);
		within("Download", box(filled()).bottom, 0, 500);
		const [evidence, trail] = all(".records .secondary").map(box);
		if (innerWidth >= 1280) within("px between Evidence and Audit trail", Math.abs(evidence.top - trail.top), 0, 0);`}}
}

// homeAppearances are the first page for who has something to sign.
func homeAppearances() []appearance {
	return []appearance{{name: "home", path: "/", widths: []int64{1280, 1000, 390}, languages: inTwo, script: `
		if (!filled()?.href.endsWith("/sign")) found.push("the filled button is " + filled()?.innerText);
		within("it", box(filled()).top, 0, 400);
		const cards = all(".ways li"), last = box(cards.at(-1));
		within("blank beside the last card", box(one(".ways")).right - last.right, 0, 1);
		within("cards beside the last one", cards.filter((c) => box(c).top === last.top).length, 2, 4);
		for (const card of cards) {
			card.scrollIntoView({block: "center"});
			const b = box(card);
			if (document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2) !== card.querySelector("a")) found.push("not a link: " + card.innerText);
		}
		scrollTo(0, 0);`}}
}

// phoneHomeAppearances are the first page for who has nothing to sign.
func phoneHomeAppearances() []appearance {
	return []appearance{{name: "home phone", path: "/", widths: []int64{390}, languages: inTwo, script: `
		within("height of the page", document.documentElement.scrollHeight, 0, 900);`}}
}

// headAppearances are pages that begin where the head's mark does.
func headAppearances(more ...string) (all []appearance) {
	for _, path := range append([]string{"/", "/packages", "/verifications", "/account", "/authenticators"}, more...) {
		all = append(all, appearance{name: "head " + strings.ReplaceAll(path, "/", "_"), path: path, widths: []int64{1280}, script: `
			within("the mark beside the heading", box(one("h1")).left - box(one(".brand img")).left, -1, 1);
			within("the mark", box(one(".brand img")).left, 52, 52);
			const [title, begin] = [one(".list-head h1"), one(".list-head .primary")].map(box);
			if (one(".list-head .primary")) within("the main button's middle below the title's", (begin.top + begin.bottom - title.top - title.bottom) / 2, -4, 4);
			if (one("form.edit") && /Leave/.test(one("main").innerText)) found.push("it says Leave");`})
	}
	return append(all, appearance{name: "head composer", path: "/packages/new", widths: []int64{1280}, script: `within("the mark", box(one(".brand img")).left, 52, 52);`})
}
