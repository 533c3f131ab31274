package signing_test

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/safetext"
	"countersign/internal/signing"
)

func TestAppendCSV_Rows(t *testing.T) {
	for value, want := range map[string]string{
		`{"id":"p1=","name":"A","status":"SENT","type":"PACKAGE","description":"d","language":"en","created":"2026-01-01T00:00:00Z","updated":"2026-01-02T00:00:00Z","due":null,"completed":null,
		  "sender":{"email":"a@b.example","name":"A B"},"roles":[{"type":"SIGNER","signers":[{"email":"x@y.example","name":"X"},{"name":"Y Z"}]},{"type":"SENDER","signers":[{"email":"a@b.example"}]},{"signers":[{"firstName":"Q","lastName":"R"}]}]}`: //
		"p1=,A,SENT,PACKAGE,d,en,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z,,,a@b.example,x@y.example; Y Z; Q R\r\n",
		`{"id":"-p"}`: "'-p,,,,,,,,,,,\r\n",
		`{"id":"p","name":"a,b \"c\"\r\nd\re\n"}`:                               "p,\"a,b \"\"c\"\"'\r\nd\re\n\",,,,,,,,,,\r\n",
		`{"id":"p","name":"=1+1","description":"@x"}`:                           "p,'=1+1,,,'@x,,,,,,,\r\n",
		`{"id":"p","name":"+1"}`:                                                "p,'+1,,,,,,,,,,\r\n",
		`{"id":"p","name":"-1"}`:                                                "p,'-1,,,,,,,,,,\r\n",
		`{"id":"p","name":"\t=1"}`:                                              "p,'\t'=1,,,,,,,,,,\r\n",
		`{"id":"p","name":"\r=1"}`:                                              "p,\"'\r'=1\",,,,,,,,,,\r\n",
		`{"id":"p","name":" =1"}`:                                               "p,\" '=1\",,,,,,,,,,\r\n",
		`{"id":"p","name":"=1,\"2\""}`:                                          "p,\"'=1,\"\"2\"\"\",,,,,,,,,,\r\n",
		`{"id":"p","sender":{"name":"=A1"}}`:                                    "p,,,,,,,,,,'=A1,\r\n",
		`{"id":"p","roles":[{"signers":[{"firstName":"=A1"}]}]}`:                "p,,,,,,,,,,,'=A1\r\n",
		`{"id":"p","name":7,"description":["x"],"language":null,"sender":null}`: "p,,,,,,,,,,,\r\n",
		// A value of an unexpected type is an empty cell.
		`{"id":"p","name":7,"sender":"x","roles":{},"status":true}`:                                "p,,,,,,,,,,,\r\n",
		`{"id":"p","roles":[7,{"signers":null},{"signers":{}},{"signers":[1,{"email":"a@b.c"}]}]}`: "p,,,,,,,,,,,; a@b.c\r\n",
		`{"id":"p","id":"q","name":"\ud800"}`:                                                      "q,\ufffd,,,,,,,,,,\r\n",
		`{"id":"p","name":"a"`:                                                                     "", `[]`: "",
	} {
		got, err := signing.AppendCSV(nil, jsontext.Value(value))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s\nbecomes %q, %v", value, got, err)
		}
	}
}

// Every record has as many cells as the head, each with its text.
func FuzzCSV(f *testing.F) {
	for _, name := range []string{"plain", "=1+1", "a\r\nb", `"`, ",", "'", "\r", "é\u2028", "\ufeff=1", ""} {
		f.Add(name, name)
	}
	columns := strings.Split(strings.TrimSpace(signing.CSVHead), ",")
	f.Fuzz(func(t *testing.T, name, signer string) {
		value, err := json.Marshal(map[string]any{"id": "p", "name": name, "roles": []map[string]any{{"signers": []map[string]any{{"name": signer}}}}})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Name  string
			Roles []struct{ Signers []struct{ Name string } }
		}
		if err := json.Unmarshal(value, &sent); err != nil { // invalid UTF-8 was replaced
			t.Fatal(err)
		}
		line, err := signing.AppendCSV([]byte(signing.CSVHead), value)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(strings.NewReader(string(line))).ReadAll()
		if err != nil || len(records) != 2 || !slices.Equal(records[0], columns) || len(records[1]) != len(columns) {
			t.Fatalf("%q: %q, %v", line, records, err)
		}
		for i, want := range map[int]string{1: sent.Name, 11: sent.Roles[0].Signers[0].Name} {
			// The reader turns both kinds of line break into one.
			if want = strings.ReplaceAll(safetext.Cell(want), "\r\n", "\n"); records[1][i] != want {
				t.Errorf("%q for %q", records[1][i], want)
			}
		}
	})
}
