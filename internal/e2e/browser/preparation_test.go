package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// prepared are the windows in which the page that prepares a package is looked at.
var prepared = []struct {
	look
	high int64
}{{look{"1280", "light", 1280}, 800}, {look{"1000", "dark", 1000}, 800}, {look{"390", "light", 390}, 844},
	{look{"1280 low", "light", 1280}, 650}, {look{"1000 low", "light", 1000}, 650}, {look{"390 low", "light", 390}, 650}}

// measured is one rule of how a page looks: a script that lists what breaks it.
type measured struct{ name, script string }

// seenWhole defines what the rules below ask: whether the middle and the edges of an element
// are in the window and above everything else.
const seenWhole = `const box = (e) => e.getBoundingClientRect();
	const over = (e, x, y) => { const top = document.elementFromPoint(x, y); return top !== null && (e.contains(top) || top.contains(e) && top.matches("label")); };
	const whole = (e) => { const r = box(e); return r.width > 0 && r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth
		&& over(e, (r.left + r.right) / 2, r.top + 2) && over(e, (r.left + r.right) / 2, r.bottom - 2); };
	const shown = (e) => e.checkVisibility({visibilityProperty: true}) && box(e).width > 1;
	const found = [];`

// rules wraps what a rule asks.
func rule(asks string) string { return "(() => {" + seenWhole + asks + "; return found; })()" }

// whilePreparing are the rules of the page with two documents, three recipients and no
// chosen field.
var whilePreparing = []measured{
	{"recipients are low, and fields begin early", rule(`if (innerWidth >= 1280) {
		for (const part of document.querySelectorAll("fieldset.part:not(.composed)")) {
			if (box(part).height > 330) found.push("a recipient of " + box(part).height + " px");
		}
		const at = box(document.getElementById("fields-heading")).top + scrollY;
		if (at > 1900) found.push("fields begin at " + at);
	}`)},
	{"a hint stands beside what it explains", rule(`for (const hint of document.querySelectorAll(".check .hint")) {
		const label = hint.parentElement.querySelector("label");
		if (Math.abs(box(hint).left - box(label).left) > 1 || box(hint).top - box(label).bottom > 8) found.push(hint.textContent);
	}`)},
	{"send and save are in the window everywhere", rule(`for (let y = 0; y <= document.scrollingElement.scrollHeight; y += innerHeight / 2) {
		scrollTo({top: y, behavior: "instant"});
		for (const value of ["send", "save"]) {
			const seen = [...document.querySelectorAll("button[value=" + value + "]")].filter(whole);
			if (seen.length !== 1) found.push(seen.length + " of " + value + " at " + y);
		}
	}`)},
	{"numbers of pages take one line", rule(`const labels = [...document.querySelectorAll(".ed-thumbs a")].flatMap((a) => [...a.querySelectorAll("span")]).filter(shown);
		if (labels.length === 0) found.push("no label");
		for (const label of labels) {
			const lines = new Set([...label.getClientRects()].map((r) => r.top)).size;
			label.scrollIntoView({block: "nearest", behavior: "instant"});
			scrollBy({top: box(label).top - innerHeight / 5, behavior: "instant"});
			if (lines > 1 || box(label).height > 22 || label.scrollWidth > label.clientWidth + 1 || !over(label, box(label).left + 2, box(label).bottom - 2)) found.push(label.textContent + " is cut");
		}
		for (const name of document.querySelectorAll(".ed-group")) {
			if (box(name).height > 22) found.push("two lines: " + name.textContent);
		}`)},
	{"kinds are in groups, and those that sign come first", rule(`const [group] = document.querySelectorAll(".kinds [role=group]");
		const heading = document.getElementById(group.getAttribute("aria-labelledby"));
		const kinds = [...group.querySelectorAll("button")].map((b) => b.dataset.kind).join();
		if (!shown(heading) || document.documentElement.lang === "en" && !/sign/i.test(heading.textContent)) found.push("the heading is " + heading.textContent);
		if (kinds !== "fullname,initials,drawn,mobile") found.push(kinds);
		const [add, undo] = ["add-field", "undo"].map((id) => box(document.getElementById(id)).width);
		if (add > undo) found.push("to add is " + add + " px, to undo " + undo);
		for (const b of document.querySelectorAll(".kind-button")) if (b.scrollWidth > b.clientWidth) found.push("cut: " + b.textContent)`)},
	{"the sentence says when", rule(`const said = document.getElementById("invited");
		if (document.documentElement.lang === "en" && !/^When you send .*Tom/.test(said.textContent)) found.push(said.textContent);
		if (getComputedStyle(said).fontWeight !== "400") found.push("it is bold")`)},
}

// onceChosen is the rule of the page right after a click on a field.
var onceChosen = measured{"the settings of a chosen field are in sight", rule(`const part = document.querySelector(".composed:not([hidden])");
	for (const name of ["recipient", "kind", "label"]) {
		const input = document.getElementById(part.dataset.field + "." + name), label = part.querySelector('[for="' + input.id + '"]');
		if (!whole(input) || !whole(label)) found.push(name + " is at " + box(input).top);
	}
	for (const button of [...document.querySelectorAll(".side button")].filter(shown)) {
		const seen = box(button), hidden = seen.top >= innerHeight || seen.bottom <= 0;
		const [top, end] = [seen.top + 2, seen.bottom - 2].map((y) => over(button, (seen.left + seen.right) / 2, y));
		const scrolled = innerHeight < 700 && !button.value.startsWith("remove:"); // in a low window the rest is reached by scrolling
		if (!hidden && !scrolled && top !== end) found.push("cut: " + button.textContent.trim());
		if (button.value.startsWith("remove:") && part.contains(button) && !whole(button)) found.push("remove is at " + seen.top);
	}`)}

// obey tells what of rules the page breaks.
func (b *tab) obey(name string, rules ...measured) {
	b.t.Helper()
	for _, r := range rules {
		for _, finding := range evaluate[[]string](b, r.script) {
			b.t.Errorf("%s: %s: %s", name, r.name, finding)
		}
	}
}

// A sender who prepares a package for three people sees fields early, their settings at once and
// the end always.
func TestPreparation_ControlsInSight(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"Lease of a flat.pdf", string(threePages)}, upload{"Preisliste_2026_final_v3 (signed copy).pdf", string(pdf.Text("Prices"))})
	b.there("image", "Page 3 of Lease of a flat")
	for n := range 2 {
		b.click("button", "Add a recipient")
		b.there("group", fmt.Sprintf("Recipient %d", n+2))
	}
	for i, last := range []string{"Lee", "Longfellow-Winterbottom of Nether Wallop", strings.Repeat("Featherstonehaugh-", 7)[:120]} {
		part := hand{tab: b, part: fmt.Sprintf("Recipient %d", i+1)}
		part.types("First name", "Tom")
		part.types("Last name", last)
		part.types("E-mail", fmt.Sprintf("tom%d@sandbox.example", i))
	}
	b.click("button", "Text")
	b.clickPage("Page 1 of Lease of a flat", 300, 200)
	b.click("button", "Date")
	b.clickPage("Page 1 of Lease of a flat", 300, 300)
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	path := evaluate[string](b, "location.pathname")
	for _, language := range inTwo {
		b.speaks(language)
		b.open(path)
		b.holds(`document.querySelector(".spot") !== null`)
		for _, l := range prepared {
			b.wearHigh(l.look, l.high)
			evaluate[bool](b, `(scrollTo({top: 0, behavior: "instant"}), true)`)
			name := "preparing " + language + " " + l.name
			b.view("top " + language + " " + l.name)
			evaluate[bool](b, `(document.getElementById("recipients-heading").scrollIntoView({behavior: "instant"}), true)`)
			b.view("recipients " + language + " " + l.name)
			b.obey(name, whilePreparing...)
			evaluate[bool](b, `(document.getElementById("fields-heading").scrollIntoView({behavior: "instant"}), true)`)
			b.view("palette " + language + " " + l.name)
			spot := evaluate[[]float64](b, `(() => {
				const spot = document.querySelector(".spot");
				scrollTo({top: scrollY + spot.getBoundingClientRect().top - innerHeight / 4, behavior: "instant"});
				const at = spot.getBoundingClientRect();
				return [at.left + at.width / 2, at.top + at.height / 2];
			})()`)
			b.do(chromedp.MouseClickXY(spot[0], spot[1]))
			b.holds(`document.querySelector(".spot.chosen") !== null`)
			b.view("chosen " + language + " " + l.name)
			b.obey(name, onceChosen)
			for _, finding := range evaluate[[]string](b, layout) {
				t.Errorf("%s: %s", name, finding)
			}
			evaluate[bool](b, `(document.querySelector(".paper").click(), document.activeElement.blur(), true)`)
			b.holds(`document.querySelector(".spot.chosen") === null`)
		}
	}
}

// complained are the rules of a form that was sent empty.
var complained = []measured{
	{"items stand apart", rule(`for (const item of document.querySelectorAll("#problem li")) {
		const style = getComputedStyle(item);
		if (style.listStyleType !== "disc") found.push("no bullet: " + style.listStyleType);
	}
	const lines = (e) => { const range = document.createRange(); range.selectNodeContents(e); return [...range.getClientRects()]; };
	const links = [...document.querySelectorAll("#problem li a")];
	for (const [i, link] of links.slice(1).entries()) {
		const apart = lines(link)[0].top - lines(links[i]).at(-1).bottom;
		const within = links.flatMap((a) => lines(a).slice(1).map((line, n) => line.top - lines(a)[n].bottom)).concat(0);
		if (apart < 8 + Math.max(...within)) found.push(apart + " px before " + link.textContent);
	}`)},
	{"each input that is refused as empty says so before", rule(`for (const link of document.querySelectorAll("#problem li a")) {
		const input = document.getElementById(link.hash.slice(1));
		const around = input.closest(".field, section");
		if (!input.required || !around.querySelector(".needed")) found.push(link.textContent);
	}`)},
	{"nobody without a name is invited", rule(`if (shown(document.getElementById("invited"))) found.push(document.getElementById("invited").textContent)`)},
}

// An empty form says what to fill in, one thing after the other.
func TestPackage_EmptyFormRefused(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.expect(400)
	b.signIn("alice@sandbox", "/packages/new")
	for _, language := range []string{"de", "en"} {
		b.speaks(language)
		evaluate[bool](b, `(sessionStorage.clear(), true)`) // what was refused before
		b.open("/packages/new")
		b.holds(`document.getElementById("compose")?.elements.ticket === undefined`)
		b.obey("empty "+language, complained[2])
		evaluate[bool](b, `(document.querySelector("button[value=send]").click(), true)`)
		b.holds(`document.querySelectorAll("#problem li a").length > 3`)
		for _, l := range prepared {
			b.wearHigh(l.look, l.high)
			b.obey("empty "+language+" "+l.name, complained...)
			b.photograph("empty " + language + " " + l.name)
		}
	}
	b.says("alert", "Enter the package’s name")
	b.says("alert", "Recipient 1: enter the first name")
}
