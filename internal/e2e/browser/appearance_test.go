package browser_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/chromedp"
)

// appearance is what holds for the look of a page: script lists what does not, at these
// widths and in these languages.
type appearance struct {
	name, path string
	widths     []int64
	languages  []string
	script     string
}

// inTwo are the languages in which pages are looked at: their words are tried in all.
var inTwo = []string{"en", "de"}

// measures is what the scripts of appearances use.
const measures = `
	const found = [];
	const all = (selector, root = document) => [...root.querySelectorAll(selector)].filter((e) => e.checkVisibility({visibilityProperty: true}));
	const one = (selector) => all(selector)[0];
	const box = (e) => e ? e.getBoundingClientRect() : {top: NaN, left: NaN, right: NaN, bottom: NaN, width: NaN, height: NaN};
	const within = (what, number, least, most) => number >= least && number <= most || found.push(what + ": " + number);
	const lines = (e) => Math.round(box(e).height / parseFloat(getComputedStyle(e).lineHeight));
	const cut = (e) => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1;
	const filled = () => all("main .button.primary")[0];
`

// looksLike opens each page in each language, at the first of its widths, and waits until it
// looks right at each of them.
func (b *tab) looksLike(all []appearance) {
	b.t.Helper()
	for _, language := range inTwo {
		b.speaks(language)
		for _, a := range all {
			if !a.isIn(language) {
				continue
			}
			for i, width := range a.widths {
				b.wear(look{"", "light", width})
				if i == 0 {
					b.open(a.path)
				}
				name := fmt.Sprintf("%s %s %d", a.name, language, width)
				b.until(name, func(ctx context.Context) (bool, string) { // a page scrolls once it has its size
					found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string]("(() => {"+measures+a.script+"return found; })()"))
					return err == nil && len(found) == 0, fmt.Sprintf("%q (%v)", found, err)
				})
				b.photograph(name)
			}
		}
	}
}

// isIn reports whether the page is looked at in a language, English if none is named.
func (a appearance) isIn(language string) bool {
	return slices.Contains(a.languages, language) || len(a.languages) == 0 && language == "en"
}

// titled returns a name of n letters.
func titled(n int) string {
	const title = "Vereinbarung über die Nutzung der Dachfläche des Hauses am alten Markt in Lüneburg, mit der Anlage, dem Zähler und allem Zubehör"
	return string([]rune(title)[:n])
}
