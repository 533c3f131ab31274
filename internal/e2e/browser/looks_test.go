package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// look is a way of displaying a page.
type look struct {
	name   string
	scheme string
	width  int64
}

// looks are those in which pages are looked at: no colour depends on the width.
var looks = []look{{"light", "light", 1280}, {"narrow-dark", "dark", 320}}

func (b *tab) wear(l look) {
	b.t.Helper()
	b.wearHigh(l, 800)
}

// wearHigh is wear in a window of that height.
func (b *tab) wearHigh(l look, high int64) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: high, DeviceScaleFactor: 1})
}

// Every state of every page is accessible: with a screen reader, in the dark, on a small
// phone.
func TestPages_Accessible(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	e2etest.Browser(t, app).SignedIn("alice@sandbox")
	b := visit(t, app).plugIn().script(stopwatch)
	for _, status := range []int{400, 404, 409, 503} {
		b.expect(status)
	}
	b.display(slices.Concat(scenesOfSigningIn(b), scenesOfPasskeys(b, clock), scenesOfTheRest(b)))
}

// So is what operators see of other people.
func TestOperatorPages_Accessible(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.expect(http.StatusBadRequest)
	b.signIn("carol@sandbox", "/")
	b.display([]scene{
		{"people", func() { b.click("link", "People"); b.there("heading", "Find a person") }},
		{"people found", func() {
			b.fill("User name", "a")
			b.click("button", "Find a person")
			b.there("link", "Dave Draper")
			b.resting("heading Found")
		}},
		{"people none", func() { b.open("/people?userID=nothing"); b.reads("No user was found.") }},
		{"person disabled", func() { b.open("/people/dave@sandbox"); b.there("link", "Enable") }},
		{"person enable", func() { b.click("link", "Enable"); b.resting("heading Enable the account of dave@sandbox?") }},
		{"person enable without a reason", func() { b.click("button", "Enable"); b.reads("Give a reason: it is kept in the audit trail.") }},
		{"person enabled", func() {
			b.fill("Reason", "back from leave")
			b.click("button", "Enable")
			b.says("status", "The account is enabled.")
			b.missing("link", "Enable")
			b.reads("Enabled by an administrator")
		}},
	})
}

// display examines each scene in each look.
func (b *tab) display(scenes []scene) {
	b.t.Helper()
	for _, s := range scenes {
		s.arrive()
		for _, l := range looks {
			b.wear(l)
			b.examine(s.name + " " + l.name)
		}
		b.wear(looks[0])
	}
}

// examine checks the shown page's layout and accessibility.
func (b *tab) examine(name string) {
	b.t.Helper()
	for _, finding := range slices.Concat(b.structure(), evaluate[[]string](b, layout), b.axe()) {
		b.t.Errorf("%s: %s", name, finding)
	}
	b.photograph(name)
}

// layout lists what does not fit, what is too small for a finger, and what is hard to
// read: text needs a contrast of 4.5 to 1, even on a button under the mouse.
const layout = `(() => {
	const found = [], page = document.scrollingElement;
	if (page.scrollWidth > innerWidth) {
		found.push("wider than the screen: " + page.scrollWidth);
	}
	if (!document.documentElement.lang || !document.title) {
		found.push("no language or no title");
	}
	const shown = (element) => {
		const box = element.getBoundingClientRect();
		return element.checkVisibility({visibilityProperty: true}) && box.right > 0 && box.bottom + scrollY > 0;
	};
	for (const control of document.querySelectorAll("a, button, input, select")) {
		const box = control.getBoundingClientRect();
		const onPage = control.matches(".spot, .hit"); // as large as what stands in the document
		if (shown(control) && !onPage && !["checkbox", "radio"].includes(control.type) && (box.width < 44 || box.height < 44)) {
			found.push("too small for a finger: " + control.innerText + " " + box.width + "×" + box.height);
		}
		const bar = control.closest(".list-tabs")?.getBoundingClientRect(); // scrolls within itself
		if (bar ? bar.left < 0 || bar.right > innerWidth : shown(control) && (box.left < 0 || box.right > innerWidth)) {
			found.push("beyond the edge: " + control.innerText);
		}
	}
	const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
	const ground = (element) => {
		const colour = element ? channels(getComputedStyle(element).backgroundColor) : [255, 255, 255];
		return colour.length === 4 && colour[3] === 0 ? ground(element.parentElement) : colour;
	};
	const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
		const c = colour[i] / 255;
		return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
	}, 0.05);
	for (const element of document.body.querySelectorAll("*")) {
		const written = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
		if (written && shown(element) && element.closest(".sr") === null) {
			const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
			const ratio = Math.max(a, b) / Math.min(a, b);
			if (ratio < 4.5) {
				found.push("hard to read, " + ratio.toFixed(2) + " to 1: " + element.innerText);
			}
		}
	}
	return found;
})()`

// structure lists the problems for a screen reader.
func (b *tab) structure() []string {
	b.t.Helper()
	var found []string
	count := map[string]int{}
	level := 0
	for _, node := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if node.Ignored {
			continue
		}
		role, name := axText(node.Role), axText(node.Name)
		count[role]++
		switch role {
		case "button", "link", "textbox", "checkbox", "combobox", "heading", "region", "navigation", "image", "RootWebArea":
			if strings.TrimSpace(name) == "" {
				found = append(found, "a "+role+" without a name")
			}
		}
		if role == "heading" {
			next := axNumber(node, accessibility.PropertyNameLevel)
			if next > level+1 {
				found = append(found, fmt.Sprintf("the heading %q goes from level %d to %d", name, level, next))
			}
			if level = next; level == 1 {
				count["h1"]++
			}
		}
	}
	for _, only := range []string{"main", "banner", "contentinfo", "h1"} {
		if count[only] != 1 {
			found = append(found, fmt.Sprintf("%d of %s", count[only], only))
		}
	}
	return found
}

func axNumber(node *accessibility.Node, name accessibility.PropertyName) (number int) {
	for _, property := range node.Properties {
		if property.Name == name {
			_ = json.Unmarshal(property.Value.Value, &number)
		}
	}
	return number
}

// axe returns the findings of axe-core, if AXE_CORE is the path of its axe.min.js.
func (b *tab) axe() (found []string) {
	b.t.Helper()
	path := os.Getenv("AXE_CORE")
	if path == "" || b.scriptless {
		return nil
	}
	if !evaluate[bool](b, `"axe" in window`) {
		source, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		evaluate[any](b, string(source)+";0")
	}
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	const judge = `axe.run().then((r) => r.violations.flatMap((v) => v.nodes.map((n) => "axe " + v.id + " (" + v.impact + "): " + n.html + " " + n.failureSummary)))`
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](judge, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// photograph saves a picture of the whole page, if SCREENSHOTS is a folder.
func (b *tab) photograph(name string) {
	b.t.Helper()
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		return
	}
	beyond := true
	size := evaluate[[]float64](b, `[innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]`)
	picture := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{
		CaptureBeyondViewport: &beyond, Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1},
	})
	if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".png"), picture.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
