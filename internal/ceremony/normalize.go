package ceremony

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

var (
	// binary are the members of options that hold base64url without padding (Web
	// Authentication Level 3, sections 5.1.8, 5.1.9, 10.1.4 and 10.1.5).
	binary = regexp.MustCompile(`^/(challenge|user/id|(exclude|allow)Credentials/\d+/id|extensions/(prf/(eval|evalByCredential/[^/]+)/(first|second)|largeBlob/write))$`)
	// emptyID are the members that, empty, are as good as absent, but not to a browser.
	emptyID = regexp.MustCompile(`^/(rp/id|rpId)$`)
)

// normalize returns options as browsers and apps read them, the JSON of Level 3: the platform
// may wrap them in publicKey, write base64 in other alphabets and with padding, null in place
// of absent members, and leave out what has a default. What is right already stays as it is,
// byte for byte.
func normalize(text string, creation bool) (string, error) {
	right, err := payload.Rewrite([]byte(unwrapped(text)), normalizeValue)
	if err == nil {
		right, err = payload.Rewrite(right, nil) // what has become null
	}
	if err != nil {
		return "", err
	}
	right, err = withDefaults(right, creation)
	if err != nil {
		return "", err
	}
	same := jsontext.Value(text)
	if same.Compact(jsontext.PreserveRawStrings(true)) == nil && string(same) == string(right) {
		return text, nil
	}
	return string(right), nil
}

// unwrapped returns the options in text: the text itself, or the object that it has as its
// publicKey, the form of navigator.credentials.
func unwrapped(text string) string {
	if options := payload.Members([]byte(text))["publicKey"]; options.Kind() == '{' && jsontext.Value(text).IsValid() {
		return string(options)
	}
	return text
}

// normalizeValue returns the value at a place of options, in base64url without padding if it is
// binary, and null for an empty name of a relying party.
func normalizeValue(at jsontext.Pointer, value jsontext.Value) (jsontext.Value, error) {
	if string(value) == `""` && emptyID.MatchString(string(at)) {
		return jsontext.Value("null"), nil
	}
	if !binary.MatchString(string(at)) {
		return value, nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	decoded, err := decodeOurs(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	right := base64.RawURLEncoding.EncodeToString(decoded)
	if right == text {
		return value, nil
	}
	return jsontext.AppendQuote(nil, right)
}

// The algorithms of options that name none.
const defaultAlgorithms = `[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}]`

// withDefaults returns options with the members that Level 3 requires and that have a
// default. The error names a member that has none.
func withDefaults(options jsontext.Value, creation bool) (jsontext.Value, error) {
	o, ok := new(payload.Violations).Examine(options).Object()
	if !ok {
		return nil, errors.New("no object of options")
	}
	lists := []string{"allowCredentials"}
	var defaults inserts
	if creation {
		lists = []string{"excludeCredentials"}
		user, _ := o.Object("user")
		if user.StringOrEmpty("id") == "" {
			return nil, errors.New("user: no id")
		}
		defaults.require(user, "name", `""`)
		defaults.require(user, "displayName", `""`)
		if rp, ok := o.Object("rp"); ok {
			defaults.require(rp, "name", `""`)
		} else {
			defaults.require(o, "rp", `{"name":""}`)
		}
		defaults.require(o, "pubKeyCredParams", defaultAlgorithms)
		for algorithm := range o.Objects("pubKeyCredParams") {
			if !algorithm.Has("alg") {
				return nil, errors.New("pubKeyCredParams: no alg")
			}
			defaults.require(algorithm, "type", `"public-key"`)
		}
	}
	for _, list := range lists {
		for credential := range o.Objects(list) {
			if credential.StringOrEmpty("id") == "" {
				return nil, fmt.Errorf("%s: no id", list)
			}
			defaults.require(credential, "type", `"public-key"`)
		}
	}
	if err := o.Err(); err != nil {
		return nil, fmt.Errorf("options of wrong types: %w", err)
	}
	return defaults.into(options)
}

// inserts are members to be put into objects of a text.
type inserts struct{ edits payload.Edits }

// require puts a member into o, which is part of the text, unless it is there.
func (i *inserts) require(o payload.Object, name, value string) {
	if o.Has(name) {
		return
	}
	member := `"` + name + `":` + value
	if len(o.Names()) > 0 {
		member += ","
	}
	at := int64(o.Place().From + 1)
	i.edits = append(i.edits, payload.Edit{From: at, To: at, Text: member})
}

func (i *inserts) into(text jsontext.Value) (jsontext.Value, error) {
	if len(i.edits) == 0 {
		return text, nil
	}
	var out strings.Builder
	_, err := io.Copy(&out, i.edits.Apply(strings.NewReader(string(text))))
	return jsontext.Value(out.String()), err
}
