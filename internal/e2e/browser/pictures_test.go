package browser_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	sandboxpdf "countersign/internal/sandbox/pdf"
)

var update = flag.Bool("update", false, "take the pictures of docs/pictures again")

// The size of the pictures, in pixels, and of their files, in bytes.
const (
	pictureWidth, pictureHeight = 1280, 800
	pictureFile                 = 120 << 10
)

// pictured are the states of which the documentation has pictures.
func pictured(b *tab) []scene {
	return []scene{
		{"sign-in", func() { b.open("/login"); b.name("alice@sandbox"); b.there("button", "Sign in with a passkey") }},
		{"passkeys", func() {
			b.fill("Password", "Sandbox-1!")
			b.click("button", "Sign in with your password")
			b.click("link", "Manage your passkeys")
			b.click("button", b.adding())
			b.fill("Name of the new passkey", "My phone")
			b.click("button", "Save name")
			b.there("heading", "My phone")
			b.open("/authenticators")
			b.there("button", b.adding())
		}},
		{"package-editor", func() { b.open("/packages/new"); b.preparesALease() }},
		{"identity-check", func() {
			b.open("/verifications/new")
			b.fill("First name", "Bob")
			b.fill("Last name", "Baker")
			b.click("button", "Start")
			b.there("heading", "In progress")
		}},
	}
}

// pictureLease is the document of the package editor's picture.
var pictureLease = sandboxpdf.Text("Lease of the mill", "", "Between Alice Archer, the landlord, and Bob Baker, the tenant.", "",
	"1. The landlord lets the mill at the river to the tenant, with its garden and its wheel.",
	"2. The lease begins on 1 January 2027 and ends on 31 December 2028.",
	"3. The rent is 900 euros a month, paid on the first day of each month.",
	"4. The tenant keeps the mill in order. The landlord repairs the wheel.",
	"5. Changes of this lease are made in writing.", "", "", "Tenant:")

// preparesALease adds a document and a recipient, and puts a signature on a page.
func (b *tab) preparesALease() {
	b.t.Helper()
	b.takes(upload{"lease.pdf", string(pictureLease)})
	b.there("image", "Page 1 of lease")
	h := hand{tab: b}
	recipient := h.in("Recipient 1")
	recipient.types("First name", "Bob")
	recipient.types("Last name", "Baker")
	recipient.types("E-mail", "bob@sandbox.example")
	h.in("Palette").presses("button", "Full name")
	b.scrollTo("d2-1")
	paper := b.boxOf("image", "Page 1 of lease")
	scale := paper.Width / 595
	b.do(chromedp.MouseClickXY(paper.X+220*scale, paper.Y+262*scale))
	b.there("button", "Full name 1, Full name, Bob Baker, page 1")
}

// The pictures of the documentation are there, of one size and small. With -update they are
// taken again; that is also the test that their states can be reached.
func TestDocumentationPictures_Complete(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(noSuggestions)
	b.wear(looks[0])
	for _, s := range pictured(b) {
		s.arrive()
		path := filepath.Join("..", "..", "..", "docs", "pictures", s.name+".png")
		if *update {
			b.settle()
			evaluate[any](b, `document.querySelectorAll(".languages").forEach((e) => e.remove())`) // no machine has the fonts of all
			shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{})
			if err := os.WriteFile(path, smaller(t, shot.Data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := isPicture(path); err != nil {
			t.Errorf("%v; go test ./internal/e2e/browser -run DocumentationPictures -update takes them", err)
		}
	}
}

// isPicture returns why a file is no picture of the documentation; nil if it is one.
func isPicture(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	read, err := png.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if read.Width != pictureWidth || read.Height != pictureHeight || len(content) > pictureFile {
		return fmt.Errorf("%s: %d×%d, %d bytes", path, read.Width, read.Height, len(content))
	}
	return nil
}

// smaller returns a picture of 256 colours at most: those that it has most of, and for each
// other one the nearest of them.
func smaller(t *testing.T, content []byte) []byte {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	bounds, count := shot.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		one, _ := color.RGBAModel.Convert(shot.At(x, y)).(color.RGBA)
		return one
	}
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			count[at(x, y)]++
		}
	}
	small := image.NewPaletted(bounds, most(count, 256))
	nearest := map[color.RGBA]uint8{}
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			one := at(x, y)
			if _, known := nearest[one]; !known {
				nearest[one] = uint8(small.Palette.Index(one))
			}
			small.SetColorIndex(x, y, nearest[one])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// most returns the n colours with the highest counts.
func most(count map[color.RGBA]int, n int) (palette color.Palette) {
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	for _, one := range all[:min(n, len(all))] {
		palette = append(palette, one)
	}
	return palette
}
