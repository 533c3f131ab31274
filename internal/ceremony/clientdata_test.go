package ceremony_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
)

// withClientData makes both responses over the client data of template, whose
// placeholders stand for the honest client's values.
func withClientData(t testing.TB, template string) []either {
	t.Helper()
	return both(t, authenticator.Options{}, authenticator.Tampering{ClientDataJSON: func(honest []byte) []byte {
		return []byte(strings.NewReplacer(
			"TYPE", member(t, string(honest), "type"),
			"CHALLENGE", member(t, string(honest), "challenge"),
			"ORIGIN", origin,
		).Replace(template))
	}})
}

func TestClientData_Accepted(t *testing.T) {
	t.Parallel()
	for name, template := range map[string]string{
		"minimal":          `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN"}`,
		"in another order": `{"origin":"ORIGIN","challenge":"CHALLENGE","type":"TYPE"}`,
		"pretty":           "{\n  \"type\": \"TYPE\",\n  \"challenge\": \"CHALLENGE\",\n  \"origin\": \"ORIGIN\"\n}\n",
		"not framed":       `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","crossOrigin":false}`,
		"as Chrome greases it": `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","crossOrigin":false,` +
			`"other_keys_can_be_added_here":"do not compare clientDataJSON against a template. See https://goo.gl/yabPex"}`,
		"as an app sends it": `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","androidPackageName":"com.example"}`,
		"token binding":      `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","tokenBinding":{"status":"supported"}}`,
		"unknown members":    `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","x":null,"y":[1,{"z":2}],"hashAlgorithm":"SHA-256"}`,
		"escapes":            `{"\u0074ype":"TYPE","challenge":"CHALLENGE","origin":"https:\/\/login.example.org"}`,
		"Type beside type":   `{"type":"TYPE","Type":1,"challenge":"CHALLENGE","origin":"ORIGIN"}`,
	} {
		for _, e := range withClientData(t, template) {
			wantKey(t, e.name+", "+name, e.judge(e.text), "")
		}
	}
}

// An optional member of another type is the platform's to judge, unless it says that the
// page was framed.
func TestClientData_OptionalMembers(t *testing.T) {
	t.Parallel()
	nothing := []string{`null`, `false`, `0`, `[]`, `{}`, `-1.5`, `[null,1]`}
	texts := []string{`""`, `"unused"`, `"https://evil.example"`, `["https://evil.example"]`, `{"origin":"https://evil.example"}`}
	yes := []string{`true`, `"true"`, `"True"`, `1`, `"1"`}
	for name, values := range map[string]struct{ pass, framed []string }{
		"tokenBinding": {slices.Concat(nothing, texts, yes), nil},
		"crossOrigin":  {slices.Concat(nothing, texts, []string{`"false"`, `"no"`}), yes},
		"topOrigin":    {slices.Concat(nothing, []string{`true`, `1`}), texts},
		"unknown":      {slices.Concat(nothing, texts, yes), nil},
	} {
		for _, list := range []struct {
			values []string
			want   fault.Key
		}{{values.pass, ""}, {values.framed, fault.CeremonyOrigin}} {
			for _, value := range list.values {
				for _, e := range withClientData(t, `{"type":"TYPE","challenge":"CHALLENGE","origin":"ORIGIN","`+name+`":`+value+`}`) {
					wantKey(t, e.name+", "+name+" "+value, e.judge(e.text), list.want)
				}
			}
		}
	}
}

func TestClientData_Malformed(t *testing.T) {
	t.Parallel()
	const rest = `"challenge":"CHALLENGE","origin":"ORIGIN"`
	for name, template := range map[string]string{
		"nothing in it":          ` `,
		"null":                   `null`,
		"an array":               `[{"type":"TYPE",` + rest + `}]`,
		"a string":               `"TYPE"`,
		"cut":                    `{"type":"TYPE",` + rest,
		"more after it":          `{"type":"TYPE",` + rest + `}x`,
		"a second one":           `{"type":"TYPE",` + rest + `}{}`,
		"a byte order mark":      "\ufeff" + `{"type":"TYPE",` + rest + `}`,
		"a zero byte":            `{"type":"TYPE",` + rest + "}\x00",
		"a trailing comma":       `{"type":"TYPE",` + rest + `,}`,
		"a comment":              `{"type":"TYPE",/**/` + rest + `}`,
		"single quotes":          `{'type':'TYPE',` + rest + `}`,
		"invalid UTF-8":          `{"type":"TYPE","x":"` + "\xff" + `",` + rest + `}`,
		"a lone surrogate":       `{"type":"TYPE","x":"\ud800",` + rest + `}`,
		"UTF-16":                 "\xff\xfe{\x00}\x00",
		"two types":              `{"type":"TYPE","type":"TYPE",` + rest + `}`,
		"two challenges":         `{"type":"TYPE","challenge":"CHALLENGE",` + rest + `}`,
		"two origins":            `{"type":"TYPE","origin":"ORIGIN",` + rest + `}`,
		"two crossOrigins":       `{"type":"TYPE","crossOrigin":false,"crossOrigin":true,` + rest + `}`,
		"two of another":         `{"type":"TYPE","x":1,"x":1,` + rest + `}`,
		"two within another":     `{"type":"TYPE","x":{"y":1,"y":1},` + rest + `}`,
		"no type":                `{` + rest + `}`,
		"Type":                   `{"Type":"TYPE",` + rest + `}`,
		"no challenge":           `{"type":"TYPE","origin":"ORIGIN"}`,
		"no origin":              `{"type":"TYPE","challenge":"CHALLENGE"}`,
		"a null type":            `{"type":null,` + rest + `}`,
		"a null challenge":       `{"type":"TYPE","challenge":null,"origin":"ORIGIN"}`,
		"a null origin":          `{"type":"TYPE","challenge":"CHALLENGE","origin":null}`,
		"a type in an array":     `{"type":["TYPE"],` + rest + `}`,
		"a challenge of number":  `{"type":"TYPE","challenge":1,"origin":"ORIGIN"}`,
		"a challenge of bytes":   `{"type":"TYPE","challenge":[1,2],"origin":"ORIGIN"}`,
		"an empty challenge":     `{"type":"TYPE","challenge":"","origin":"ORIGIN"}`,
		"a padded challenge":     `{"type":"TYPE","challenge":"CHALLENGE=","origin":"ORIGIN"}`,
		"a spaced challenge":     `{"type":"TYPE","challenge":"CHALLENGE ","origin":"ORIGIN"}`,
		"a challenge over lines": `{"type":"TYPE","challenge":"CHALLENGE\n","origin":"ORIGIN"}`,
		"a standard challenge":   `{"type":"TYPE","challenge":"+/+/","origin":"ORIGIN"}`,
		"a challenge of bits":    `{"type":"TYPE","challenge":"AB","origin":"ORIGIN"}`,
		"an object for origin":   `{"type":"TYPE","challenge":"CHALLENGE","origin":{"a":1}}`,
		"deep":                   `{"type":"TYPE","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `,` + rest + `}`,
	} {
		for _, e := range withClientData(t, template) {
			wantKey(t, e.name+", "+name, e.judge(e.text), fault.CeremonyMalformed)
		}
	}
}

func TestClientData_Truncated(t *testing.T) {
	t.Parallel()
	whole := len(`{"type":"webauthn.get","challenge":"","origin":"","crossOrigin":false}`) + len(origin) + 43
	for n := range whole {
		for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{
			ClientDataJSON: func(b []byte) []byte { return bytes.Clone(b[:n]) },
		}) {
			wantKey(t, e.name, e.judge(e.text), fault.CeremonyMalformed)
		}
	}
}
