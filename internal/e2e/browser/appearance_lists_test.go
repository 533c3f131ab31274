package browser_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// A list shows names, people and what is urgent, and at once; only what was chosen can be
// deleted.
func TestLists_ShowNamesAndUrgency(t *testing.T) {
	app := e2etest.Boot(t)
	fillLists(t, app)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.looksLike(slices.Concat(listAppearances(), tabAppearances()))

	b.speaks("en")
	b.wear(looks[0])
	b.open("/packages?tab=drafts")
	b.click("button", "Delete selected")
	b.holds(`location.pathname === "/packages"`)
	evaluate[bool](b, `[...document.querySelectorAll(".select")].slice(0, 2).forEach((box) => box.click()) ?? true`)
	b.there("button", "Delete selected (2)")
	b.photograph("drafts chosen")
	b.click("button", "Delete selected (2)")
	b.reads("Delete these 2 packages?")
	b.holds(`getComputedStyle(document.activeElement).outlineStyle === "none" && document.activeElement.localName === "h1"`)

	b.withoutScripts()
	b.open("/packages?tab=drafts")
	b.click("button", "Delete selected")
	b.says("status", "Select what you want to delete first.")
	b.there("link", "Drafts")
}

// fillLists makes packages of names of all lengths, in all tabs.
func fillLists(t *testing.T, app *e2etest.App) {
	t.Helper()
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	e2etest.Eventually(t, "the index", func() bool { return alice.Send("GET", "/api/packages", nil).Status == http.StatusOK })
	soon, later := time.Now().Add(30*time.Hour).UTC().Format(time.RFC3339), "2099-12-31T10:00:00Z"
	create := func(as *e2etest.Client, p members) string {
		return as.Send("POST", "/api/packages", p).Want(http.StatusOK).Text("id")
	}
	for i, n := range []int{3, 31, 40, 72, 120} {
		roles := []any{signerOf("bob", "Bob", "Builder"), signerOf("tom", "Tom", "Tenant"), signerOf("verena", "Verena-Elisabeth", "Müller-Lüdenscheidt")}[:1+i%3]
		create(alice, members{"name": titled(n), "status": "DRAFT", "roles": roles})
		create(alice, members{"name": titled(n), "status": "DRAFT", "type": "TEMPLATE", "roles": []any{members{"id": "s", "type": "SIGNER"}}})
		create(bob, members{"name": titled(n), "status": "SENT", "due": []string{soon, later}[i%2], "roles": []any{signerOf("alice", "Alice", "Signer")}})
		for j := range 2 {
			p := members{"name": titled(n), "status": "SENT", "roles": roles}
			if j == 0 {
				p["due"] = []string{soon, later}[i%2]
			}
			create(alice, p)
		}
		done := create(alice, inOrder(titled(n), "bob@sandbox.example"))
		e2etest.Sign(t, app, e2etest.Browser(t, app).SignedIn("bob@sandbox"), done)
	}
}

// listAppearances are the rows of the lists.
func listAppearances() (all []appearance) {
	for _, tab := range []string{"to-sign", "sent", "done", "drafts", "templates"} {
		all = append(all, appearance{name: "list " + tab, path: "/packages?tab=" + tab, widths: []int64{1280, 1000}, languages: inTwo, script: `
			const desk = innerWidth >= 1280;
			within("rows", all(".list .row").length, 5, 20);
			for (const name of all(".list .row h3 a > span")) {
				const letters = [...name.textContent.replace(/\p{Cf}/gu, "")].length;
				if (letters <= 40) within("lines of " + letters + " letters", lines(name), 1, desk ? 1 : 2);
				if (letters <= 40 || desk && letters <= 72) {
					within("lines of " + letters + " letters", lines(name), 1, 2);
					if (cut(name)) found.push("cut: " + name.textContent);
				}
			}
			for (const row of all(".list .row")) {
				const date = box(row.querySelector("time"));
				for (const tag of all(".tag", row)) within("px between tag and date", Math.max(date.left - box(tag).right, box(tag).left - date.right), 12, 999);
			}
			within("first row", box(one(".list .row")).top, 0, desk ? 290 : 340);
			if (all(".list .row .danger").length) found.push("a red button");
			const heads = all(".row-head > span").map((e) => e.innerText);
			within("heads " + heads, heads.length, all(".row-people > *").length ? 3 : 2, all(".row-people > *").length ? 3 : 2);
			`})
	}
	return append(all, appearance{name: "list sent rows", path: "/packages?tab=sent", widths: []int64{1280}, languages: inTwo, script: `
		const rows = all(".list .row");
		for (const row of rows) {
			within("height", box(row).height, box(rows[0]).height, Math.min(57, box(rows[0]).height));
			within("lines of the date", row.querySelector(".row-date").getClientRects().length * lines(row.querySelector(".row-date")), 1, 1);
		}
		within("whole rows in sight", rows.filter((row) => box(row).bottom <= innerHeight).length, 8, 20);
		const [urgent, calm] = [".soon", ".row-date:not(:has(.soon))"].map((s) => getComputedStyle(one(".list " + s)));
		if (urgent.color === calm.color || urgent.fontWeight === calm.fontWeight) found.push("what is urgent looks like what is not");
		`}, appearance{name: "list phone", path: "/packages?tab=sent", widths: []int64{390}, languages: inTwo, script: `
		for (const row of all(".list .row")) {
			const names = row.querySelector(".names");
			if (!/Bob|Tom/.test(names?.innerText ?? "") || !names.checkVisibility()) found.push("nobody is named: " + row.innerText);
			if (lines(row.querySelector("h3 span")) === 1) within("height", box(row).height, 0, 88);
		}`})
}

// tabAppearances are the tabs of the lists, and what deletes.
func tabAppearances() (all []appearance) {
	for _, tab := range []string{"to-sign", "sent", "done", "drafts", "templates"} {
		all = append(all, appearance{name: "tabs " + tab, path: "/packages?tab=" + tab, widths: []int64{390, 320}, languages: inTwo, script: `
			const bar = box(one(".list-tabs")), open = box(one(".list-tabs [aria-current]"));
			for (const tab of all(".list-tabs a")) {
				within("height of a tab", box(tab).height, 44, 44);
				within("top of a tab", box(tab).top, open.top, open.top);
			}
			within("the open tab's line above the bar's", bar.bottom - open.bottom, 0, 1);
			within("the open tab's left", open.left, bar.left, bar.right - open.width + 1);`})
	}
	return append(all, appearance{name: "nothing chosen", path: "/packages?tab=drafts", widths: []int64{1280, 390}, script: `
		const button = one("#selection button");
		within("px to the first row", box(one(".list .row")).top - box(button).bottom, 0, 80);
		if (button.getAttribute("aria-disabled") !== "true") found.push("it can be pressed");
		`})
}

// signerOf is a role with one signer.
func signerOf(id, first, last string) map[string]any {
	return map[string]any{"id": id, "type": "SIGNER", "signers": []any{map[string]any{"email": id + "@sandbox.example", "firstName": first, "lastName": last}}}
}
