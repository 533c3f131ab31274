package uaf_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// object is a dictionary that a test changes before it is sent.
type object = map[string]any

// changed decodes a message, lets a test change its first dictionary and
// encodes it again.
func changed(t testing.TB, message string, change func(object)) string {
	t.Helper()
	var dictionaries []object
	if err := json.Unmarshal([]byte(message), &dictionaries); err != nil {
		t.Fatal(err)
	}
	change(dictionaries[0])
	text, err := json.Marshal(dictionaries)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// set returns a function that sets the value at a path of member names and array indexes;
// absent deletes it.
func set(path string, value any) func(object) {
	return func(dictionary object) {
		names := strings.Split(path, "/")
		for _, name := range names[:len(names)-1] {
			switch next := dictionary[name].(type) {
			case object:
				dictionary = next
			case []any:
				dictionary = next[0].(object)
			}
		}
		last := names[len(names)-1]
		if value == absent {
			delete(dictionary, last)
			return
		}
		dictionary[last] = value
	}
}

type absence struct{}

var absent any = absence{}

const (
	badRequest = uaf.StatusBadRequest
	content    = uaf.StatusUnacceptableContent
)

// Responses with every kind of invalid member are refused.
func TestResponse_InvalidMembers(t *testing.T) {
	cases := []struct {
		path  string
		value any
	}{
		{"header", absent}, {"header", nil}, {"header", object{}}, {"header", []any{}}, {"header", "x"},
		{"header/upv", absent}, {"header/upv", nil}, {"header/upv", object{}}, {"header/upv", []any{}},
		{"header/upv", object{"major": 1}}, {"header/upv", object{"major": 1, "minor": "1"}},
		{"header/upv", object{"major": 1, "minor": 7}}, {"header/upv", object{"major": 2, "minor": 1}},
		{"header/upv", object{"major": 1, "minor": 1.5}}, {"header/upv", object{"major": 1, "minor": 65537}},
		{"header/upv", object{"major": 1, "minor": 0}}, {"header/upv", object{"major": -1, "minor": 1}},
		{"header/op", absent}, {"header/op", nil}, {"header/op", ""}, {"header/op", 1.0},
		{"header/op", "Auth"}, {"header/op", "Dereg"}, {"header/op", "REG"}, {"header/op", "reg"}, {"header/op", "Reg "},
		{"header/appID", nil}, {"header/appID", 1.0}, {"header/appID", object{}},
		{"header/appID", strings.Repeat("a", 513)},
		{"header/serverData", nil}, {"header/serverData", 1.0}, {"header/serverData", ""},
		{"header/serverData", strings.Repeat("a", 1537)}, {"header/serverData", []any{"a"}},
		{"header/exts", nil}, {"header/exts", []any{}}, {"header/exts", object{}}, {"header/exts", "[]"}, {"header/exts", []any{nil}},
		{"header/exts", []any{object{}}}, {"header/exts", []any{object{"id": "", "data": "", "fail_if_unknown": false}}},
		{"header/exts", []any{object{"id": "x", "data": ""}}}, {"header/exts", []any{object{"id": "x", "fail_if_unknown": false}}},
		{"header/exts", []any{object{"data": "", "fail_if_unknown": false}}},
		{"header/exts", []any{object{"id": "x", "data": "", "fail_if_unknown": "false"}}},
		{"header/exts", []any{object{"id": strings.Repeat("x", 33), "data": "", "fail_if_unknown": false}}},
		{"fcParams", absent}, {"fcParams", nil}, {"fcParams", ""}, {"fcParams", 1.0}, {"fcParams", object{}},
		{"fcParams", "e30="}, {"fcParams", "e30"}, {"fcParams", "not base64url!"}, {"fcParams", "e3\n0"}, {"fcParams", strings.Repeat("A", 40000)},
		{"assertions", absent}, {"assertions", nil}, {"assertions", []any{}}, {"assertions", object{}}, {"assertions", "x"},
		{"assertions", []any{nil}}, {"assertions", []any{"x"}}, {"assertions", []any{object{}}},
		{"assertions/0/assertion", absent}, {"assertions/0/assertion", nil}, {"assertions/0/assertion", ""},
		{"assertions/0/assertion", 1.0}, {"assertions/0/assertion", "%%%%"}, {"assertions/0/assertion", strings.Repeat("A", 5463)},
		{"assertions/0/assertionScheme", absent}, {"assertions/0/assertionScheme", nil}, {"assertions/0/assertionScheme", ""},
		{"assertions/0/assertionScheme", 1.0}, {"assertions/0/assertionScheme", "uafv1tlv"},
		{"assertions/0/assertionScheme", "UAFV1TLV2"},
		{"assertions/0/exts", nil}, {"assertions/0/exts", []any{}}, {"assertions/0/exts", object{}}, {"assertions/0/exts", "x"},
	}
	response := registrationResponse(t, device(t, softuaf.Tamper{}))
	for _, c := range cases {
		if err := readRegistration(changed(t, response, set(c.path, c.value))); uaf.StatusOf(err) != content {
			t.Errorf("%s = %.40v: %v, want 1498", c.path, c.value, err)
		}
	}
}

// readRegistration reads a response and its first assertion.
func readRegistration(message string) error {
	response, err := uaf.ParseRegistrationResponse(message)
	if err != nil {
		return err
	}
	_, err = response.Assertions[0].Registration()
	return err
}

// Responses may have additional members, and may lack optional ones.
func TestResponse_Tolerated(t *testing.T) {
	extension := []any{object{"id": "vendor", "data": "anything", "fail_if_unknown": false}}
	cases := map[string]func(object){
		"an extension of the header":    set("header/exts", extension),
		"an extension of the assertion": set("assertions/0/exts", extension),
		"no extensions":                 set("header/exts", absent),
		"an empty list of nobody's":     set("vendor", []any{}),
		"an empty list in an extension": set("header/exts", []any{object{"id": "x", "data": "", "fail_if_unknown": false, "vendor": []any{}}}),
		"an unknown member":             set("vendor", object{"anything": nil}),
		"an unknown member of header":   set("header/vendor", 1.0),
		"no appID in the header":        set("header/appID", absent),
		"display characteristics":       set("assertions/0/tcDisplayPNGCharacteristics", []any{object{"width": 320}}),
	}
	response := registrationResponse(t, device(t, softuaf.Tamper{}))
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			if err := readRegistration(changed(t, response, change)); err != nil {
				t.Error(err)
			}
		})
	}
	if err := readRegistration(" \n\t" + strings.ReplaceAll(response, `,"`, " ,\r\n \"") + "\n "); err != nil {
		t.Errorf("white space: %v", err)
	}
}

// Texts that are not messages of the protocol at all.
func TestResponse_InvalidText(t *testing.T) {
	good := registrationResponse(t, device(t, softuaf.Tamper{}))
	dictionary := strings.TrimSuffix(strings.TrimPrefix(good, "["), "]")
	cases := []struct {
		name, text string
		want       uaf.Status
	}{
		{"nothing", "", badRequest},
		{"not JSON", "registration", badRequest},
		{"cut off", good[:len(good)-1], badRequest},
		{"something after it", good + "x", badRequest},
		{"two messages", good + good, badRequest},
		{"a comma too many", "[" + dictionary + ",]", badRequest},
		{"invalid UTF-8", strings.Replace(good, "Reg", "Re\xff", 1), badRequest},
		{"a byte order mark", "\xef\xbb\xbf" + good, badRequest},
		{"a duplicate member", strings.Replace(good, `"fcParams":`, `"fcParams":"x","fcParams":`, 1), badRequest},
		{"a duplicate member of header", strings.Replace(good, `"op":`, `"op":"Reg","op":`, 1), badRequest},
		{"a duplicate unknown member", strings.Replace(good, `"fcParams":`, `"x":1,"x":1,"fcParams":`, 1), badRequest},
		{"single quotes", strings.ReplaceAll(good, `"`, `'`), badRequest},
		{"a comment", "/* */" + good, badRequest},
		{"a dictionary without its array", dictionary, content},
		{"a string", `"` + strings.ReplaceAll(good, `"`, `\"`) + `"`, content},
		{"null", "null", content},
		{"an empty array", "[]", content},
		{"an array of arrays", "[" + good + "]", content},
		{"an array with null", "[null," + dictionary + "]", content},
		{"another member's case", strings.Replace(good, `"fcParams"`, `"FcParams"`, 1), content},
		{"too long", good + strings.Repeat(" ", uaf.MaxMessage), content},
		{"very deep", strings.Repeat("[", 100000), badRequest},
		{"many dictionaries", "[" + strings.Repeat("0,", 100000) + "0]", content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := uaf.ParseRegistrationResponse(c.text)
			wantStatus(t, err, c.want)
		})
	}
}

func TestMessage_SeveralDictionaries(t *testing.T) {
	good := registrationResponse(t, device(t, softuaf.Tamper{}))
	ours := strings.TrimSuffix(strings.TrimPrefix(good, "["), "]")
	older := `{"header":{"upv":{"major":1,"minor":0},"op":"Auth"},"other":[]}`
	newer := `{"header":{"upv":{"major":1,"minor":2},"op":17}}`
	cases := []struct {
		name         string
		dictionaries []string
		want         uaf.Status
	}{
		{"ours alone", []string{ours}, uaf.StatusOK},
		{"ours after an older one", []string{older, ours}, uaf.StatusOK},
		{"ours among others", []string{newer, ours, older}, uaf.StatusOK},
		{"ours twice", []string{ours, ours}, content},
		{"an older one twice", []string{older, ours, older}, content},
		{"an older one alone", []string{older}, content},
		{"one without a version", []string{ours, `{"header":{}}`}, uaf.StatusOK},
		{"one without a header, twice", []string{ours, `{}`, `{}`}, content},
		{"one that is none", []string{ours, `7`}, content},
		{"one with a wrong version", []string{ours, `{"header":{"upv":"1.0"}}`}, content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := uaf.ParseRegistrationResponse("[" + strings.Join(c.dictionaries, ",") + "]")
			wantStatus(t, err, c.want)
		})
	}
}

func TestResponse_OtherOperation(t *testing.T) {
	good := registrationResponse(t, device(t, softuaf.Tamper{}))
	_, err := uaf.ParseAuthenticationResponse(good)
	wantStatus(t, err, content)
}

// A refusal names the place but not the value, so that clients cannot fill the log.
func TestRefusal_NamesPlaceNotValue(t *testing.T) {
	good := registrationResponse(t, device(t, softuaf.Tamper{}))
	_, err := uaf.ParseRegistrationResponse(changed(t, good, set("header/upv/minor", "s3cret")))
	if err == nil || !strings.Contains(err.Error(), "/header/upv/minor") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
	_, err = uaf.ParseRegistrationResponse(changed(t, good, set("fcParams", encode([]byte(`{"appID":7}`)))))
	if err == nil || !strings.Contains(err.Error(), "/appID") {
		t.Errorf("got %v", err)
	}
}

func TestResponse_RoundTrip(t *testing.T) {
	good := registrationResponse(t, device(t, softuaf.Tamper{}))
	parsed, err := uaf.ParseRegistrationResponse(good)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parsed.Encode()
	if err != nil || again != good {
		t.Errorf("encoded as\n%s\nfrom\n%s (%v)", again, good, err)
	}
}

// A member's name also comes from the client, and is cut.
func TestRefusal_MemberNameCut(t *testing.T) {
	name := strings.Repeat("x", 10_000)
	_, err := uaf.ParseRegistrationResponse(`[{"` + name + `":1,"` + name + `":2}]`)
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("%d characters", len(err.Error()))
	}
}
