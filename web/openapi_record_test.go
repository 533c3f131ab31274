package web

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/web/openapitest"
)

var record = flag.String("record", "", "write the examples of web/openapi/examples.json from the exchanges in this folder")

// The examples of responses are those that end-to-end tests met:
//
//	EXCHANGES=/path go test ./internal/e2e/signing ./internal/e2e/verification -run 'Script|Guide'
//	go test ./web -run TestRecord_Examples -record /path
func TestRecord_Examples(t *testing.T) {
	if *record == "" {
		return
	}
	names, err := filepath.Glob(filepath.Join(*record, "*.exchange.json"))
	if err != nil {
		t.Fatal(err)
	}
	met := map[string][]string{} // by operation
	for _, name := range names {
		var one openapitest.Kept
		if err := json.Unmarshal([]byte(read(t, name)), &one); err != nil {
			t.Fatal(err)
		}
		if body := strings.TrimSpace(string(one.Content)); one.Status < 300 && strings.HasPrefix(one.Answered.Get("Content-Type"), "application/json") && body != "" {
			met[one.Operation] = append(met[one.Operation], body)
		}
	}
	bodies := map[string][]string{} // by schema, component or operation
	for _, operation := range operationsOf(parsed(t)) {
		for status, response := range operation.Responses.Map() {
			media := response.Value.Content[mediaJSON]
			if media == nil || status[0] != '2' || media.Example != nil || len(media.Examples) > 0 && media.Examples["recorded"] == nil {
				continue
			}
			ref := response.Ref
			if media.Schema != nil {
				ref = cmp.Or(media.Schema.Ref, ref)
			}
			of := operation.OperationID
			if ref != "" {
				of = path.Base(ref)
			}
			bodies[of] = append(bodies[of], met[operation.OperationID]...)
			if of == path.Base(response.Ref) {
				bodies[of] = nil // mostly empty
			}
		}
	}
	var rows []string
	for of, all := range bodies {
		rows = append(rows, fmt.Sprintf("    %q: {\"value\": %s}", of, stable(best(all))))
	}
	slices.Sort(rows)
	content := "{\"components\": {\n  \"examples\": {\n" + strings.Join(rows, ",\n") + "\n  }\n}}\n"
	if err := os.WriteFile("openapi/examples.json", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// best returns the shortest body, if possible one whose list is not empty.
func best(bodies []string) string {
	poor := regexp.MustCompile(`^\[\]$|:\[\]\}$`)
	return slices.MinFunc(append(bodies, "{}"), func(a, b string) int {
		rank := func(body string) int {
			switch {
			case body == "{}":
				return 2
			case poor.MatchString(body):
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// stable replaces what differs from run to run.
func stable(body string) string {
	for _, kind := range []struct{ pattern, by string }{
		{`https?://(127\.0\.0\.1|localhost):\d+/api`, "https://countersign.example/api"},
		{`https?://(127\.0\.0\.1|localhost):\d+`, "https://platform.example"},
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "5b0c7d52-8f0e-4c5a-9a3e-%012d"},
		{`"[A-Za-z0-9_-]{27}="`, `"kq3Yd0vXn8Lw2RbTkq3Yd0v%04d="`},
		{`[A-Za-z0-9]{48}`, "c2lnbmluZy10b2tlbi1vZi1hbi1leGFtcGxlLW9ubHkt%04d"},
		{`20\d\d-\d\d-\d\dT[\d:.]+Z`, "2030-01-01T12:00:%02dZ"},
	} {
		var seen []string
		body = regexp.MustCompile(kind.pattern).ReplaceAllStringFunc(body, func(found string) string {
			if !strings.Contains(kind.by, "%") {
				return kind.by
			}
			if !slices.Contains(seen, found) {
				seen = append(seen, found)
			}
			return fmt.Sprintf(kind.by, slices.Index(seen, found)+1)
		})
	}
	return body
}
