package wire

import (
	"strings"
	"testing"
)

func content(media, body string) Content {
	c := Content{media: media}
	c.add([]byte(body))
	return c
}

func TestContent_OfBody(t *testing.T) {
	const parts = "--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{\"name\":\"Lease\",\"secret\":1}\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-hidden\r\n--x--\r\n"
	for name, tc := range map[string]struct {
		content Content
		want    string
	}{
		"nothing":        {content("application/json", ""), ""},
		"JSON":           {content("application/json; charset=utf-8", `{"a":[1,{"b":null}]}`), "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}"},
		"a problem":      {content("application/problem+json", `{"detail":"no"}`), "{\n  \"detail\": \"no\"\n}"},
		"a form":         {content("application/x-www-form-urlencoded", "grant_type=a+b&client_secret=hidden&key=hidden"), "client_secret=•••\ngrant_type=a b\nkey=•••"},
		"parts":          {content("multipart/form-data; boundary=x", parts), "payload: {\n  \"name\": \"Lease\",\n  \"secret\": \"•••\"\n}\n\nfile: a.pdf, 11 bytes"},
		"a file":         {content("application/pdf", "%PDF-hidden"), "11 bytes of application/pdf"},
		"of no kind":     {content("", "hidden"), "6 bytes of no kind that was named"},
		"JSON that ends": {content("application/json", `{"a":{"b":1,"c`), "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n… (14 bytes)"},
		"no JSON":        {content("application/json", "hidden"), "… (6 bytes)"},
		"parts that end": {content("multipart/form-data; boundary=x", parts[:62]), "payload: 7 bytes\n… (62 bytes)"},
	} {
		if got := tc.content.String(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Nothing of a secret is shown, whatever it is and wherever the body ends.
func TestContent_HidesSecrets(t *testing.T) {
	for _, member := range []string{
		`"staticPassword":"hidden"`, `"newPASSWORD":"hidden"`, `"passKey":"hidden"`, `"PassKey":{"a":["hidden"]}`, `"activationPassword":"hidden"`, `"passcode":"hidden"`,
		`"access_token":"hidden"`, `"sessionToken":"hidden"`, `"tokens":[{"a":"hidden"}]`, `"client_secret":"hidden"`, `"privateKey":"hidden"`, `"apiKey":"hidden"`,
		`"key":"hidden"`, `"callbackKey":"hidden"`, `"OTP":"hidden"`, `"PIN":"hidden"`, `"answer":"hidden"`, `"command":"hidden"`, `"pass\u0077ord":"hidden"`,
	} {
		for _, body := range []string{"{" + member + "}", `{"a":[{` + member + `,"z":1}]}`} {
			for cut := range len(body) {
				if shown := content("application/json", body[:cut+1]).String(); strings.Contains(shown, "hidden") {
					t.Errorf("%s is shown as %s", body[:cut+1], shown)
				}
			}
		}
	}
	token := content("application/json", `{"value":"hidden"}`)
	if token.tokens = true; strings.Contains(token.String(), "hidden") {
		t.Errorf("a token is shown: %s", token)
	}
	for _, body := range []string{`{"keyID":"shown"}`, `{"key":{"text":"shown"}}`, `{"value":"shown"}`, `{"publicKey":"shown"}`} {
		if text := content("application/json", body).String(); !strings.Contains(text, "shown") {
			t.Errorf("%s is shown as %s", body, text)
		}
	}
}

func TestEntry_QueryHidesSecrets(t *testing.T) {
	for query, want := range map[string]string{
		"": "/a", "from=1&to=%20x": "/a?from=1&to=%20x", "a=b&sessionToken=hidden": "/a?a=b&sessionToken=•••", "%74oken=hidden": "/a?%74oken=•••", "%zz=hidden": "/a?%zz=•••",
	} {
		if got := (Entry{Path: "/a", Query: query}).Target(); got != want {
			t.Errorf("%q is shown as %s, want %s", query, got, want)
		}
	}
}

// A large body, and a deep one, are shown in part.
func TestContent_Bounded(t *testing.T) {
	for name, body := range map[string]string{
		"a long text": `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "a long list": "[" + strings.Repeat("1,", 1<<20) + "1]", "a deep one": strings.Repeat("[", 1<<20),
	} {
		text := content("application/json", body).String()
		if len(text) > 10*contentKept || !strings.HasSuffix(text, " bytes)") {
			t.Errorf("%s is shown in %d bytes, to …%s", name, len(text), text[max(len(text)-20, 0):])
		}
	}
}
