package browser_test

import (
	"fmt"
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// rowsFit lists the rows that are too high or leave their name no room, and a first row that begins or ends too low.
const rowsFit = `(() => {
	const found = [];
	const rows = [...document.querySelectorAll(".list .row")];
	if (!rows.length) found.push("no row");
	if (innerWidth >= 1280) {
		for (const row of rows) {
			const high = row.getBoundingClientRect().height;
			if (high > 72) found.push("a row of " + high + " px: " + row.innerText);
			const wide = row.querySelector("h3").getBoundingClientRect().width;
			if (wide < 150) found.push("a name within " + wide + " px: " + row.innerText);
		}
	} else if (rows.length) {
		const box = rows[0].getBoundingClientRect(), end = location.search.includes("search=") ? box.top : box.bottom;
		if (end > 640) found.push("the first row is from " + box.top + " to " + end);
	}
	return found;
})()`

// A list has low rows on a desk, and shows its first row at once on a small phone, in every
// language.
func TestBrowserListsAreCompact(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Eventually(t, "the index", func() bool { return alice.Send("GET", "/api/packages", nil).Status == http.StatusOK })
	long := "Lease of the old mill by the river, with its garden, its barn and all that belongs to it, second version"
	for i := range 2 {
		for _, status := range []string{"DRAFT", "SENT"} {
			alice.Send("POST", "/api/packages", map[string]any{
				"name": long[:40+60*i], "status": status, "due": "2099-12-31T10:00:00Z",
				"roles": []any{signerOf("bob", "Bartholomew", "Longfellow-Winterbottom"), signerOf("alice", "Alice", "Signer")},
			}).Want(http.StatusOK)
		}
	}
	e2etest.Program(t, app).SignedIn("bob@sandbox").Send("POST", "/api/packages", map[string]any{
		"name": long, "status": "SENT", "due": "2099-12-31T10:00:00Z", "roles": []any{signerOf("alice", "Alice", "Signer")},
	}).Want(http.StatusOK)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	for _, language := range []string{"en", "de", "es", "fr", "ja"} {
		b.speaks(language)
		for _, l := range []look{looks[0], looks[2]} {
			b.wear(l)
			for _, tab := range []string{"", "?tab=sent", "?tab=drafts", "?tab=sent&search=lease"} {
				b.open("/packages" + tab)
				name := fmt.Sprintf("list %s %s %s", language, tab, l.name)
				for _, finding := range evaluate[[]string](b, rowsFit) {
					t.Errorf("%s: %s", name, finding)
				}
				b.examine(name)
			}
		}
	}
}

// signerOf is a role with one signer.
func signerOf(id, first, last string) map[string]any {
	return map[string]any{"id": id, "type": "SIGNER", "signers": []any{map[string]any{"email": id + "@sandbox.example", "firstName": first, "lastName": last}}}
}
