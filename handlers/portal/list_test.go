package portal

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"countersign/handlers/page"
	"countersign/internal/i18n"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/static"
	"countersign/templates"
)

// Each status of the platform has a word of its own in every language, and a look; one that is
// not known is shown as it is.
func TestPackageStatus_NamedInEveryLanguage(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	pages := templates.New(templates.Options{Bundle: bundle, Assets: &static.Assets{}})
	for status, want := range map[string]struct{ message, kind string }{
		"DRAFT": {"page.package.draft", ""}, "SENT": {"page.package.sent", "active"},
		"COMPLETED": {"page.package.completed", "passed"}, "ARCHIVED": {"page.package.archived", "passed"},
		"DECLINED": {"page.package.declined", "failed"}, "OPTED_OUT": {"page.package.refused", "failed"},
		"EXPIRED": {"page.package.expired", "over"}, "LOST": {"", "over"},
	} {
		v := itemOf(signing.Package{Status: status}, index.Grant{}, service.Progress{})
		if got := v.Kind(); got != want.kind {
			t.Errorf("%s looks %q, want %q", status, got, want.kind)
		}
		for _, language := range bundle.Languages() {
			word := status
			if want.message != "" {
				word = bundle.For(language).T(want.message)
			}
			words := pages.View(templates.Common{Language: language})
			records, err := csv.NewReader(bytes.NewReader(v.appendRecord(tableHead(words), words))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if got := records[1][1]; got != word {
				t.Errorf("%s is %q in %s, want %q", status, got, language, word)
			}
		}
	}
}

// A cell stands by itself, and so does the sentence that asks for signatures in its text box:
// a text by people turns nothing there.
func TestUserText_BidiContained(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	const turned = "Bob\u202eBaker\u2067"
	words := templates.New(templates.Options{Bundle: bundle, Assets: &static.Assets{}}).View(templates.Common{Language: "en"})
	item := Item{Name: turned, Status: turned, Sender: turned, People: []signerRow{{Name: turned}}}
	form := newPackagePage{Packages{Renderer: page.Renderer{Bundle: bundle}}}
	texts := []string{string(item.appendRecord(nil, words))}
	for _, language := range bundle.Languages() {
		texts = append(texts, form.asks(language, turned+"\x1b", turned))
	}
	for _, text := range texts {
		if !strings.Contains(text, "BobBaker") || strings.ContainsAny(text, "\u202e\u2067\u2068\u2069\x1b") {
			t.Errorf("%+q", text)
		}
	}
}
