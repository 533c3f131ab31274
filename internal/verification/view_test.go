package verification_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/verification"
)

// Show removes every address of the platform, however it is spelled and wherever it
// stands, and keeps all others.
func TestShow_RemovesPlatformAddresses(t *testing.T) {
	platforms := verification.Addresses{Host: "idv.sandbox.example", Sites: config.Hosts{"pages.sandbox.example"}}
	ours := func(address string) (string, bool) { return "OURS", address == "sfs://known/a" }
	for _, c := range []struct{ given, want string }{
		{`{"a":"sfs://known/a","b":["sfs://x/b"],"c":{"d":"SFS://x/b"}}`, `{"a":"OURS","b":[""],"c":{"d":""}}`},
		{`{"a":"see https://idv.sandbox.example/x, or ask"}`, `{"a":"see , or ask"}`},
		{`{"a":"HTTPS://user@IDV.Sandbox.Example/x"}`, `{"a":""}`},
		{`{"a":"//idv.sandbox.example/x wss://pages.sandbox.example:443/y"}`, `{"a":" "}`},
		{`{"a":"https://elsewhere.example/?u=https://idv.sandbox.example/x"}`, `{"a":"https://elsewhere.example/?u="}`},
		{`{"a":"https:\u002f\u002fidv.sandbox.example\u002fx"}`, `{"a":""}`},
		{`{"a":"{\"url\":\"sfs:\\/\\/known\\/a\",\"n\":1}"}`, `{"a":"{\"url\":\"OURS\",\"n\":1}"}`},
		{`{"a":"{\"url\":\"https:\\u002F\\u002Fidv.sandbox.example\"}"}`, `{"a":"{\"url\":\"\"}"}`},
		{`{"https://idv.sandbox.example/x":1}`, `{"":1}`},
		{`{"a":"foo+sfs://x/y"}`, `{"a":""}`},
		{`{"a":"https://elsewhere.example/x a//b // c","b":1.50}`, `{"a":"https://elsewhere.example/x a//b // c","b":1.50}`},
		{`{"a":"https://idv.sandbox.example.elsewhere.example/"}`, `{"a":"https://idv.sandbox.example.elsewhere.example/"}`},
	} {
		got, err := platforms.Show(jsontext.Value(c.given), verification.ViewOptions{Ours: ours})
		if err != nil || string(got) != c.want {
			t.Errorf("%s is shown as %s, want %s (%v)", c.given, got, c.want, err)
		}
	}
	long := `{"a":"` + strings.Repeat("ab//", 1<<16) + `"}`
	if got, err := platforms.Show(jsontext.Value(long), verification.ViewOptions{Ours: ours}); err != nil || string(got) != long {
		t.Errorf("what is no address is not the same: %v", err)
	}
}
