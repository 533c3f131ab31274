package templates_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/safetext"
	"countersign/templates"
	_ "countersign/web" // it and its packages declare the pages
)

// turned is a text by people that turns the direction of what follows, and ends isolations.
const turned = "Bob\u202e\u2069\u2067"

// ours are members of pages whose texts are ours; choices are those that choose what is
// shown.
var (
	ours    = []string{"Detail", "Wrong", "Languages", "Countries", "Untitled", "Asks", "Word", "NameID", "NoneID", "CheckID", "Origin", "Address", "ActivationPassword"}
	choices = map[string][]string{
		"Asking": {"cancel", "erase", "end-all", "end", "remove"}, "Signing": {"now", "later"}, "Protocol": {"FIDO2", "UAF11", turned},
		"Status": {"SENT", "DECLINED", turned}, "State": {"met", "unmet"}, "StateID": {"page.verification.completed", "page.package.signed"},
		"Type": {"Click To Sign", turned}, "Kind": {"sign-in.accepted", "custom", "passkey", turned}, "Tab": {"to-sign", "templates", "drafts"},
		"Key": {turned}, "Place": {"key"}, "ResultID": {"page.verification.passed"}, "Method": {"password", turned},
	}
)

// In every page, whatever it shows: each text by people stands isolated, and no translation
// of the page changes it. What is looked at is
// every page that there is, filled at random, so that a page that forgets fails here.
func TestTexts_ByPeopleAreIsolated(t *testing.T) {
	pages := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	for name, view := range page.Views() {
		if name == "reference" { // it shows our own document alone
			continue
		}
		found := 0
		for seed := range uint64(60) {
			shown := reflect.New(view).Elem()
			filler{rand.New(rand.NewPCG(seed, 1))}.fill(shown, "", 0)
			common := shown
			if shown.Type() != reflect.TypeFor[templates.Common]() {
				common = shown.FieldByName("Common")
			}
			c := templates.Common{Language: "en", Nonce: "n", RequestID: "r", Path: "/x", Person: &templates.Person{ID: "bob@sandbox", DisplayName: turned}}
			if seed%4 == 0 {
				c.Problem = &templates.Problem{Row: fault.Lookup(fault.RequestInvalid)}
			}
			common.Set(reflect.ValueOf(c))
			var out bytes.Buffer
			filled, _ := reflect.TypeAssert[templates.Page](shown)
			if err := pages.Write(&out, name, filled); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			root, err := html.ParseWithOptions(&out, html.ParseOptionEnableScripting(false))
			if err != nil {
				t.Fatal(err)
			}
			n, wrong := notIsolated(root)
			if found += n; len(wrong) > 0 {
				t.Errorf("%s, seed %d: not isolated:\n%s", name, seed, strings.Join(slices.Compact(slices.Sorted(slices.Values(wrong))), "\n"))
			}
		}
		t.Logf("%s shows %d", name, found)
	}
}

// A browser that translates pages leaves what is read off and typed elsewhere as it is.
func TestTranslation_SkipsTextsToCopy(t *testing.T) {
	pages := newPages(t)
	for class, write := range map[string]func(*templates.Pages, io.Writer) error{
		"brand":          failure("Common", common("/x", nil, ""), "Key", "request.not-found"),
		"password-shown": account("ActivationPassword", "A1B2"),
	} {
		d := render(t, pages, write)
		found := slices.DeleteFunc(slices.Concat(d.all("a"), d.all("span")), func(n *html.Node) bool { return get(n, "class") != class })
		if len(found) != 1 || get(found[0], "translate") != "no" {
			t.Errorf("%d of %s, or they are translated", len(found), class)
		}
		for _, code := range d.all("code") {
			if get(code, "translate") != "no" {
				t.Errorf("%s would be translated", code.FirstChild.Data)
			}
		}
	}
}

// filler fills the members of pages: texts with turned, the rest at random.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value, name string, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text(name))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.IntN(3)))
	case reflect.Float64:
		v.SetFloat(300)
	case reflect.Pointer:
		if f.IntN(4) > 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), name, depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(3), 2))
		for i := range v.Len() {
			f.fill(v.Index(i), name, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); (field.IsExported() || field.Anonymous) && field.Type != reflect.TypeFor[templates.Common]() && v.Type().PkgPath() != "time" && !isOurs(field) {
				f.fill(v.Field(i), field.Name, depth+1)
				if v.Type() == page.Views()["person"] && field.Name == "User" {
					v.Field(i).SetString("bob@sandbox") // user ids are ASCII
				}
			}
		}
	}
}

func (f filler) text(name string) string {
	if known, ok := choices[name]; ok {
		return known[f.IntN(len(known))]
	}
	if f.IntN(5) == 0 {
		return ""
	}
	return turned
}

func isOurs(field reflect.StructField) bool {
	return field.Type.Kind() != reflect.Bool && slices.ContainsFunc(ours, func(own string) bool { return strings.HasPrefix(field.Name, own) })
}

// spoken are the attributes that people read or hear.
var spoken = []string{"aria-label", "alt", "title", "data-page", "data-said", "data-name"}

// notIsolated returns how many texts by people there are in a page, and those that are not
// isolated.
func notIsolated(root *html.Node) (found int, wrong []string) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "meta" {
			continue
		}
		for _, a := range n.Attr {
			if strings.Contains(a.Val, "Bob") && slices.Contains(spoken, a.Key) && (a.Key != "data-page" || n.Data == "div") {
				if found++; a.Val != safetext.WithoutDirections(a.Val) {
					wrong = append(wrong, fmt.Sprintf("%s of %s: %+q", a.Key, n.Data, a.Val))
				}
			}
		}
		if n.Type != html.TextNode || !strings.Contains(n.Data, "Bob") || n.Parent.Data == "textarea" {
			continue
		}
		found++
		switch parent := n.Parent.Data; {
		case parent == "bdi" && n.Data == "Bob" && get(n.Parent, "translate") == "no":
		case parent == "title" && n.Parent.Namespace == "" && isMarked(n.Data):
		case (parent == "option" || n.Parent.Namespace == "svg") && n.Data == safetext.WithoutDirections(n.Data):
		default:
			wrong = append(wrong, fmt.Sprintf("in %s %v of %s: %+q", parent, n.Parent.Attr, n.Parent.Parent.Data, n.Data))
		}
	}
	return found, wrong
}

var isolations = regexp.MustCompile("\u2068[^\u2066-\u2069\u202a-\u202e]*\u2069")

// isMarked reports whether every text by people in text is isolated by characters.
func isMarked(text string) bool {
	rest := isolations.ReplaceAllString(text, "")
	return !strings.Contains(rest, "Bob") && rest == safetext.WithoutDirections(rest)
}

// The elements that stand for isolation are closed where they were opened, whatever a text
// holds, and nothing else of the page is changed.
func TestIsolation_ElementsAreClosed(t *testing.T) {
	pages := newPages(t)
	for name, want := range map[string]string{
		"Bob":                    `<bdi translate="no">Bob</bdi>`,
		"a\u2068b\u2069\u2069c":  `<bdi translate="no">abc</bdi>`,
		"</bdi><b>\u202e\u2066x": `<bdi translate="no">&lt;/bdi&gt;&lt;b&gt;x</bdi>`,
	} {
		d := render(t, pages, shown("package", "Common", common("/packages/p", alice, ""), "ID", "p", "Name", name))
		if !strings.Contains(d.source, "<h1>"+want+"</h1>") || strings.Count(d.source, "<bdi ") != strings.Count(d.source, "</bdi>") {
			t.Errorf("%q: %s", name, d.source)
		}
	}
}
