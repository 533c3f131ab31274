package browser_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/pdf"
	sandboxpdf "countersign/internal/sandbox/pdf"
)

// threePages is a lease of three pages.
var threePages = sandboxpdf.Text(leaseLines()...)

// leaseLines are more lines than two pages hold.
func leaseLines() []string {
	lines := []string{"Tenancy agreement", "", "Tenant:", ""}
	for i := range 130 {
		lines = append(lines, fmt.Sprintf("%d. The tenant keeps the mill in order.", i+1))
	}
	return append(lines, "Tenant:", "", "Landlord:")
}

// box is a rectangle on the screen.
type box struct{ X, Y, Width, Height float64 }

func (a box) middle() (x, y float64) { return a.X + a.Width/2, a.Y + a.Height/2 }

// boxOf returns where the only element of role and name is on the screen.
func (b *tab) boxOf(role, name string) (at box) {
	b.t.Helper()
	answer := tell[json.RawMessage](b, role, name, `function() { const r = this.getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height}; }`)
	if err := json.Unmarshal(answer, &at); err != nil {
		b.t.Fatal(err)
	}
	return at
}

// drag moves the pointer, pressed, from one point to another, in steps.
func (b *tab) drag(fromX, fromY, toX, toY float64, keys int64) {
	b.t.Helper()
	mouse := func(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
		call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1, Modifiers: keys})
	}
	mouse(input.DispatchMouseEventTypeMouseMoved, fromX, fromY, 0)
	mouse(input.DispatchMouseEventTypeMousePressed, fromX, fromY, 1)
	const steps = 5
	for i := 1.0; i <= steps; i++ {
		mouse(input.DispatchMouseEventTypeMouseMoved, fromX+(toX-fromX)*i/steps, fromY+(toY-fromY)*i/steps, 1)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, toX, toY, 0)
	b.settle()
}

// scrollTo brings the beginning of an element to the upper edge of the screen.
func (b *tab) scrollTo(id string) {
	b.t.Helper()
	evaluate[bool](b, fmt.Sprintf(`(document.getElementById(%q).scrollIntoView({block: "start"}), true)`, id))
}

// numberIn returns what a number of the chosen field is.
func (b *tab) numberIn(name string) (n float64) {
	b.t.Helper()
	if _, err := fmt.Sscan(tell[string](b, "textbox", name, `function() { return this.value }`), &n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// Fields are put on the pages, moved and changed in size by hand, and each change can be
// undone.
func TestFields_PlacedWithUndo(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"lease.pdf", string(threePages)})
	b.there("image", "Page 3 of lease")
	b.there("link", "Page 3")
	b.photograph("editor empty")
	b.click("button", "Text")
	b.scrollTo("d2-1")
	paper := b.boxOf("image", "Page 1 of lease")
	scale := paper.Width / 595.28
	x, y := paper.X+300*scale, paper.Y+200*scale
	b.do(chromedp.MouseClickXY(x, y))
	const text = "Text 1, Text, Recipient 1, page 1"
	b.resting("button " + text)
	at := b.boxOf("button", text)
	if mx, my := at.middle(); math.Abs(mx-x) > 1 || math.Abs(my-y) > 1 {
		t.Errorf("the field's middle is %v, %v, want %v, %v", mx, my, x, y)
	}
	if left, top := b.numberIn("Left"), b.numberIn("Top"); math.Abs(left-200) > 1 || math.Abs(top-190) > 1 {
		t.Errorf("it is said to stand at %v, %v", left, top)
	}
	b.photograph("editor one field")
	mx, my := at.middle()
	scroll := evaluate[float64](b, "scrollY")
	b.drag(mx, my, mx-50*scale, my+100*scale, 0)
	if left, top := b.numberIn("Left"), b.numberIn("Top"); math.Abs(left-150) > 1 || math.Abs(top-290) > 1 {
		t.Errorf("it is dragged to %v, %v", left, top)
	}
	if now := evaluate[float64](b, "scrollY"); now != scroll {
		t.Errorf("the page has moved from %v to %v", scroll, now)
	}
	b.resting("button " + text)
	b.press(kb.ArrowRight)
	b.do(chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(chromedp.ModifierShift)))
	b.do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierAlt)))
	if w := b.numberIn("Width"); w != 201 {
		t.Errorf("it is %v wide", w)
	}
	b.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if w := b.numberIn("Width"); w != 200 {
		t.Errorf("undone, it is %v wide", w)
	}
	b.click("button", "Full name")
	b.scrollTo("d2-3")
	paper = b.boxOf("image", "Page 3 of lease")
	b.do(chromedp.MouseClickXY(paper.X+200*scale, paper.Y+400*scale))
	b.resting("button Full name 1, Full name, Recipient 1, page 3")
	b.photograph("editor signature")
	b.press(kb.Delete)
	b.missing("button", "Full name 1, Full name, Recipient 1, page 3")
	b.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.resting("button Full name 1, Full name, Recipient 1, page 3")
	for _, l := range append(looks, look{"1000", "light", 1000}) {
		b.wear(l)
		b.examine("editor " + l.name)
	}
	b.wear(looks[0])
	b.do(chromedp.Reload())
	b.there("button", "Full name 1, Full name, Recipient 1, page 3")
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	b.click("button", text)
	b.wants(map[string]float64{"Left": 151, "Top": 300})
	mx, my = b.boxOf("button", text).middle()
	b.touch(mx, my, mx-10*scale, my+50*scale) // a finger moves it as a mouse does
	b.wants(map[string]float64{"Left": 141, "Top": 350})
}

// view saves a picture of what is on the screen, if SCREENSHOTS is a folder.
func (b *tab) view(name string) {
	b.t.Helper()
	if folder := os.Getenv("SCREENSHOTS"); folder != "" {
		picture := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
		if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".png"), picture.Data, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// chord presses a key with modifiers.
func (b *tab) chord(key string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
	b.settle()
}

// wants fails unless numbers of the chosen field are, but for a point, those.
func (b *tab) wants(numbers map[string]float64) {
	b.t.Helper()
	for name, want := range numbers {
		if got := b.numberIn(name); math.Abs(got-want) > 1 {
			b.t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// A field's size changes by its handles, and its edges snap; copies are made; a field
// stands beside a text where the sheet shows it.
func TestFields_CopiedAndResized(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"lease.pdf", string(threePages)})
	b.there("image", "Page 3 of lease")
	b.scrollTo("d2-1")
	b.click("button", "Initials")
	b.scrollTo("d2-1")
	paper := b.boxOf("image", "Page 1 of lease")
	scale := paper.Width / 595
	b.do(chromedp.MouseClickXY(paper.X+200*scale, paper.Y+200*scale))
	const initials = "Initials 1, Initials, Recipient 1, page 1"
	at := b.boxOf("button", initials)
	b.wants(map[string]float64{"Left": 160, "Top": 180, "Width": 80, "Height": 40})
	b.drag(at.X+at.Width-1, at.Y+at.Height-1, at.X+at.Width+20*scale, at.Y+at.Height+30*scale, 0)
	b.wants(map[string]float64{"Left": 160, "Top": 180, "Width": 100, "Height": 70})
	at = b.boxOf("button", initials)
	b.drag(at.X+1, at.Y+1, at.X+11*scale, at.Y-19*scale, 0)
	b.wants(map[string]float64{"Left": 170, "Top": 160, "Width": 90, "Height": 90})
	edge := b.numberIn("Top")
	b.view("view handles")
	b.click("button", "On every page")
	for _, name := range []string{"Initials 2, Initials, Recipient 1, page 2", "Initials 3, Initials, Recipient 1, page 3"} {
		b.there("button", name)
	}
	b.click("button", "Undo")
	b.missing("button", "Initials 2, Initials, Recipient 1, page 2")
	b.missing("button", "Initials 3, Initials, Recipient 1, page 3")
	b.click("button", "Redo")
	b.there("button", "Initials 3, Initials, Recipient 1, page 3")

	b.click("button", initials)
	b.scrollTo("d2-1")
	b.chord("d", chromedp.ModifierCtrl)
	const second = "Initials 4, Initials, Recipient 1, page 1"
	b.resting("button " + second)
	b.wants(map[string]float64{"Left": 180, "Top": 170})
	at = b.boxOf("button", second)
	x, y := at.middle()
	b.drag(x, y, x+93*scale, y-8*scale, 0) // its edges come near those of the first one: left 273 to 260, top 162 to 160
	b.wants(map[string]float64{"Top": 160})
	if top := b.numberIn("Top"); top != edge {
		t.Errorf("it snaps to %v", top)
	}
	b.drag(x+93*scale, y-8*scale, x+93*scale, y-5*scale, 2) // with Ctrl it does not
	if top := b.numberIn("Top"); top == edge {
		t.Error("it snaps with Ctrl")
	}
	b.fill("Left", "300")
	b.press(kb.Tab)
	b.fill("Label", "Paraph")
	b.there("button", "Paraph, Initials, Recipient 1, page 1")
	b.press(kb.Tab)
	b.click("button", "Undo")
	b.there("button", second)
	b.wants(map[string]float64{"Left": 300})

	evaluate[bool](b, `(scrollTo(0, document.getElementById("d2-2").getBoundingClientRect().top + scrollY - 300), true)`)
	b.click("button", "Text")
	evaluate[bool](b, `(scrollTo(0, document.getElementById("d2-2").getBoundingClientRect().top + scrollY - 300), true)`)
	paper = b.boxOf("image", "Page 2 of lease")
	b.do(chromedp.MouseClickXY(paper.X+200*scale, paper.Y+100*scale))
	at = b.boxOf("button", "Text 1, Text, Recipient 1, page 2")
	x, y = at.middle()
	first := b.boxOf("image", "Page 1 of lease")
	b.drag(x, y, x, first.Y+first.Height-50*scale, 0)
	const moved = "Text 1, Text, Recipient 1, page 1"
	b.resting("button " + moved)
	b.wants(map[string]float64{"Page": 1, "Top": 842 - 60, "Left": 100})

	b.fill("Place it by a text", "Tenant:")
	b.there("button", "1 of 2 on page 1")
	b.there("button", "2 of 2 on page 3")
	b.view("view hits")
	hit := b.onSheet("1 of 2 on page 1")
	at1 := b.onSheet(moved)
	near(t, "on the text", sized(at1, hit), hit)
	b.click("radio", "Right of it")
	right := hit
	right.Left += hit.Width
	near(t, "right of the text", sized(b.onSheet(moved), hit), right)
	b.click("radio", "Below it")
	below := hit
	below.Top += hit.Height
	near(t, "below the text", sized(b.onSheet(moved), hit), below)
	b.click("button", "2 of 2 on page 3")
	b.there("button", "Text 1, Text, Recipient 1, page 3")
	b.fill("Move right by", "30")
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.there("button", "Text 1, Text, Recipient 1, page 3")
	b.click("button", "Text 1, Text, Recipient 1, page 3")
	hit = b.onSheet("2 of 2 on page 3")
	hit.Left, hit.Top = hit.Left+30, hit.Top+hit.Height
	near(t, "again, below the text", sized(b.onSheet("Text 1, Text, Recipient 1, page 3"), hit), hit)
}

// sized returns a rectangle with the size of another one.
func sized(at, of pdf.Rect) pdf.Rect {
	at.Width, at.Height = of.Width, of.Height
	return at
}

// A page of 50 pages weighs little.
func TestEditor_FiftyPagesWeighLittle(t *testing.T) {
	var lines []string
	for i := range 50 * 52 {
		lines = append(lines, fmt.Sprint("Line ", i))
	}
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/packages/new")
	b.wear(looks[0])
	b.takes(upload{"book.pdf", string(sandboxpdf.Text(lines...))})
	b.there("image", "Page 50 of book")
	for range 10 {
		b.click("button", "Add a field")
	}
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	call(b, network.ClearBrowserCache, cdp.Empty{})
	b.do(chromedp.Reload())
	b.there("image", "Page 50 of book")
	const most = 60 << 10
	const weight = `performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).filter((e) => !e.name.includes(".png")).reduce((sum, e) => sum + e.transferSize, 0)`
	if bytes := evaluate[int](b, weight); bytes > most || bytes < 1<<10 {
		t.Errorf("the page weighs %d bytes", bytes)
	}
}

// touch presses a finger at one point and lets it go at another.
func (b *tab) touch(fromX, fromY, toX, toY float64) {
	b.t.Helper()
	finger := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, points...)})
	}
	finger(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: fromX, Y: fromY})
	const steps = 4
	for i := 1.0; i <= steps; i++ {
		finger(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: fromX + (toX-fromX)*i/steps, Y: fromY + (toY-fromY)*i/steps})
	}
	finger(input.DispatchTouchEventTypeTouchEnd)
	b.settle()
}
