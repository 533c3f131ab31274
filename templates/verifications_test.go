package templates_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/templates"
)

// A timeline tells a day once, and again when it changes.
func TestTimeline_TellsDayOnce(t *testing.T) {
	at := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		steps []object
		want  []string
	}{
		"one day":                              {[]object{{"Trigger": "transaction_created", "At": at}, {"Trigger": "document_selected", "At": at.Add(time.Hour)}}, []string{"1 March 2026, 22:00 UTC", "23:00 UTC"}},
		"the next day":                         {[]object{{"Trigger": "transaction_created", "At": at}, {"Trigger": "document_selected", "At": at.Add(3 * time.Hour)}}, []string{"1 March 2026, 22:00 UTC", "2 March 2026, 01:00 UTC"}},
		"hidden and unknown ones do not count": {[]object{{"Trigger": "hidden", "At": at}, {"Trigger": "transaction_created"}, {"Trigger": "document_selected", "At": at}}, []string{"1 March 2026, 22:00 UTC"}},
	} {
		var out strings.Builder
		if err := shown("verification", "Steps", c.steps)(newPagesWith(t, templates.Options{Verifications: true}), &out); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, found := range regexp.MustCompile(`data-after="[^"]*">([^<]*)<`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, found[1])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A card that says nothing is not shown.
func TestIdentityCheck_ShowsNoEmptyCard(t *testing.T) {
	for name, c := range map[string]struct {
		page  []any
		shown []string
	}{
		"begun":            {[]any{"Active", true}, nil},
		"with a document":  {[]any{"Active", true, "Documents", []string{"d"}}, []string{"documents"}},
		"trail asked":      {[]any{"Active", true, "TrailAsked", true}, []string{"documents"}},
		"over":             {nil, []string{"result"}},
		"to be passed on":  {[]any{"Active", true, "MayContinue", true}, []string{"pass-on"}},
		"with a link made": {[]any{"Active", true, "MayContinue", true, "Link", "https://example.org/"}, []string{"handed"}},
	} {
		d := render(t, newPagesWith(t, templates.Options{Verifications: true}), shown("verification", c.page...))
		for _, card := range []string{"pass-on", "handed", "result", "documents"} {
			if shown := d.byID(card+"-heading") != nil; shown != slices.Contains(c.shown, card) {
				t.Errorf("%s: %s: %v", name, card, shown)
			}
		}
	}
}
