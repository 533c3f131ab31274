package ceremony_test

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

func TestUAFResponse_Malformed(t *testing.T) {
	t.Parallel()
	for _, kind := range bothUAF {
		wantKey(t, string(kind), judgeUAF(kind, honestUAF(t, kind).String()), "")
		for name, text := range noJSON(honestUAF(t, kind)) {
			wantRefusal(t, string(kind)+", "+name, judgeUAF(kind, text), fault.CeremonyMalformed, uaf.StatusBadRequest)
		}
		for name, text := range malformedUAF(honestUAF(t, kind)) {
			wantRefusal(t, string(kind)+", "+name, judgeUAF(kind, text), fault.CeremonyMalformed, uaf.StatusUnacceptableContent)
		}
	}
}

func noJSON(honest uafMessage) map[string]string {
	return map[string]string{
		"nothing": "", "more after it": honest.String() + "x", "a second message": honest.String() + honest.String(),
		"cut": strings.TrimSuffix(honest.String(), "]"), "a mark": "\ufeff" + honest.String(),
		"two headers": strings.Replace(honest.String(), `"header":`, `"header":{},"header":`, 1),
		"not UTF-8":   strings.Replace(honest.String(), appID, "\xff", 1),
		"depth":       strings.Repeat("[", 50_000),
		"too long":    "[" + strings.Repeat(" ", ceremony.MaxMessage) + "]",
	}
}

func malformedUAF(honest uafMessage) map[string]string {
	changed := func(change func(*uafMessage)) string {
		m := honest
		change(&m)
		return m.String()
	}
	raw := func(fcParams string) string {
		return strings.Replace(honest.String(), encode([]byte(honest.params())), fcParams, 1)
	}
	params := func(old, put string) string {
		return raw(encode([]byte(strings.Replace(honest.params(), old, put, 1))))
	}
	long := base64.RawURLEncoding.EncodeToString(make([]byte, 4097))
	replaced := func(old, put string) string { return strings.Replace(honest.String(), old, put, 1) }
	return map[string]string{
		"no extensions":              replaced(`"serverData"`, `"exts":[],"serverData"`),
		"no extensions, spaced":      replaced(`"serverData"`, `"exts" : [ ] ,"serverData"`),
		"assertion, no extensions":   replaced(`"assertionScheme"`, `"exts":[],"assertionScheme"`),
		"binding with an empty text": changed(func(m *uafMessage) { m.binding = `{"tlsUnique":""}` }),
		"null":                       "null", "an object": honest.dictionary(), "an empty array": "[]", "nulls": "[null]", "text": `["x"]`,
		"two of one version":     "[" + honest.dictionary() + "," + honest.dictionary() + "]",
		"another version":        changed(func(m *uafMessage) { m.version = `{"major":1,"minor":0}` }),
		"no version":             changed(func(m *uafMessage) { m.version = `null` }),
		"a version of text":      changed(func(m *uafMessage) { m.version = `"1.1"` }),
		"no operation":           changed(func(m *uafMessage) { m.operation = `null` }),
		"an operation of number": changed(func(m *uafMessage) { m.operation = `1` }),
		"serverData of number":   changed(func(m *uafMessage) { m.serverData = `1` }),
		"serverData too long":    changed(func(m *uafMessage) { m.serverData = `"` + strings.Repeat("a", 1537) + `"` }),
		"header appID too long":  changed(func(m *uafMessage) { m.headerAppID = `"` + strings.Repeat("a", 513) + `"` }),
		"appID null":             changed(func(m *uafMessage) { m.appID = `null` }),
		"appID number":           changed(func(m *uafMessage) { m.appID = `1` }),
		"appID empty":            changed(func(m *uafMessage) { m.appID = `""` }),
		"facet null":             changed(func(m *uafMessage) { m.facetID = `null` }),
		"facet empty":            changed(func(m *uafMessage) { m.facetID = `""` }),
		"challenge null":         changed(func(m *uafMessage) { m.challenge = `null` }),
		"challenge empty":        changed(func(m *uafMessage) { m.challenge = `""` }),
		"challenge padded":       changed(func(m *uafMessage) { m.challenge = `"AAAAAAAAAAA="` }),
		"challenge not canonic":  changed(func(m *uafMessage) { m.challenge = `"AAAAAAAAAAB"` }),
		"challenge with a break": changed(func(m *uafMessage) { m.challenge = `"AAAAAA\nAAAAA"` }),
		"binding null":           changed(func(m *uafMessage) { m.binding = `null` }),
		"binding text":           changed(func(m *uafMessage) { m.binding = `"x"` }),
		"a member twice":         changed(func(m *uafMessage) { m.extraParams = `,"appID":"x"` }),
		"no fcParams":            strings.Replace(honest.String(), `"fcParams"`, `"x"`, 1),
		"fcParams empty":         raw(""),
		"fcParams as JSON":       raw("{}"),
		"fcParams padded":        raw(encode([]byte(honest.params())) + "="),
		"fcParams of standard":   raw("+/+/"),
		"fcParams of an array":   raw(encode([]byte("[]"))),
		"fcParams of null":       raw(encode([]byte("null"))),
		"fcParams and more":      raw(encode([]byte(honest.params() + "{}"))),
		"fcParams with a mark":   raw(encode([]byte("\ufeff" + honest.params()))),
		"fcParams cut":           raw(encode([]byte(honest.params()[1:]))),
		"fcParams not UTF-8":     params(appID, "\xff"),
		"no binding":             params("channelBinding", "x"),
		"no facet":               params("facetID", "x"),
		"no assertions":          strings.Replace(honest.String(), `"assertions"`, `"x"`, 1),
		"assertions null":        strings.Replace(honest.String(), `"assertions":[`, `"assertions":null,"x":[`, 1),
		"assertions empty":       strings.Replace(honest.String(), `"assertions":[`, `"assertions":[],"x":[`, 1),
		"assertion null":         changed(func(m *uafMessage) { m.assertion = `null` }),
		"assertion empty":        changed(func(m *uafMessage) { m.assertion = `""` }),
		"assertion padded":       changed(func(m *uafMessage) { m.assertion = strings.TrimSuffix(m.assertion, `"`) + `="` }),
		"assertion too long":     changed(func(m *uafMessage) { m.assertion = `"` + long + `"` }),
		"assertion of nothing":   changed(func(m *uafMessage) { m.assertion = `"AT4"` }),
		"scheme null":            changed(func(m *uafMessage) { m.scheme = `null` }),
		"another scheme":         changed(func(m *uafMessage) { m.scheme = `"UAFV2TLV"` }),
	}
}

// An assertion is checked to its last byte: it is refused if it is cut anywhere, if
// anything follows it, or if an element has another tag or length.
func TestUAFAssertion_CheckedToLastByte(t *testing.T) {
	t.Parallel()
	for _, kind := range bothUAF {
		whole := assertionOf(t, kind)
		refused := func(what string, at int, data []byte) {
			t.Helper()
			m := honestUAF(t, kind)
			m.assertion = `"` + encode(data) + `"`
			err := judgeUAF(kind, m.String())
			if !fault.Is(err, fault.CeremonyMalformed) || fault.From(err).UAFStatusCode != 1498 {
				t.Errorf("%s, %s at %d: %v", kind, what, at, err)
			}
		}
		for end := 1; end < len(whole); end++ {
			refused("cut", end, whole[:end])
		}
		refused("a byte more", len(whole), append(slices.Clone(whole), 0))
		refused("a second one", len(whole), append(slices.Clone(whole), whole...))
		for _, at := range elements(whole) {
			for what, change := range map[string]func([]byte){
				"another tag": func(header []byte) { binary.LittleEndian.PutUint16(header, 0x2EFF) },
				"longer":      func(header []byte) { addTo(header[2:], 1) },
				"shorter":     func(header []byte) { addTo(header[2:], -1) },
				"a long one":  func(header []byte) { binary.LittleEndian.PutUint16(header[2:], 0xFFFF) },
			} {
				mutant := slices.Clone(whole)
				change(mutant[at:])
				refused(what, at, mutant)
			}
		}
	}
}

func addTo(length []byte, n int) {
	binary.LittleEndian.PutUint16(length, uint16(int(binary.LittleEndian.Uint16(length))+n))
}

// elements returns the offset of each element of an assertion, at every depth.
func elements(data []byte) []int {
	var found []int
	var walk func(from, to int)
	walk = func(from, to int) {
		for from < to {
			found = append(found, from)
			tag := uaf.Tag(binary.LittleEndian.Uint16(data[from:]))
			end := from + 4 + int(binary.LittleEndian.Uint16(data[from+2:]))
			if tag&0x1000 != 0 { // a composite
				walk(from+4, end)
			}
			from = end
		}
	}
	walk(0, len(data))
	return found
}

// The freedoms of the specification are allowed here too, or such responses could never
// reach the platform.
func TestUAFResponse_ToleratedForms(t *testing.T) {
	t.Parallel()
	extension := func(tag uaf.Tag) uaf.Element {
		return uaf.Element{Tag: tag, Children: []uaf.Element{
			{Tag: uaf.TagExtensionID, Value: []byte("unknown")}, {Tag: uaf.TagExtensionData, Value: []byte("x")},
		}}
	}
	add := func(child uaf.Element) func(*uaf.Element) {
		return func(e *uaf.Element) { e.Children = append(e.Children, child) }
	}
	first := func(child uaf.Element) func(*uaf.Element) {
		return func(e *uaf.Element) { e.Children = append([]uaf.Element{child}, e.Children...) }
	}
	index := uaf.Element{Tag: 0x0103, Value: []byte("user verification")}
	reverse := func(e *uaf.Element) { slices.Reverse(e.Children) }
	malformed := fault.CeremonyMalformed
	for name, c := range map[string]struct {
		tamper softuaf.Tamper
		want   fault.Key
	}{
		"any order":                      {softuaf.Tamper{Signed: reverse, Assertion: reverse}, ""},
		"an unknown extension":           {softuaf.Tamper{Signed: add(extension(uaf.TagExtension))}, ""},
		"one around what is signed":      {softuaf.Tamper{Assertion: add(extension(uaf.TagExtension))}, ""},
		"an unknown critical extension":  {softuaf.Tamper{Signed: add(extension(uaf.TagCriticalExtension))}, malformed},
		"an unknown element":             {softuaf.Tamper{Signed: add(index), Assertion: add(index)}, ""},
		"an unknown composite":           {softuaf.Tamper{Signed: add(uaf.Element{Tag: 0x1E20, Value: []byte{1}})}, ""},
		"an unknown element, first":      {softuaf.Tamper{Signed: first(index), Assertion: first(index)}, ""},
		"an unknown critical element":    {softuaf.Tamper{Signed: add(uaf.Element{Tag: 0x2E20, Value: []byte{1}})}, malformed},
		"one around what is signed, too": {softuaf.Tamper{Assertion: first(uaf.Element{Tag: 0x2103})}, malformed},
		"an element twice":               {softuaf.Tamper{Signed: add(uaf.Element{Tag: uaf.TagAAID, Value: []byte(aaid)})}, malformed},
		"an AAID in lower case":          {softuaf.Tamper{Signed: inElement(uaf.TagAAID, func([]byte) []byte { return []byte("abcd#1234") })}, ""},
		"an AAID that is none":           {softuaf.Tamper{Signed: inElement(uaf.TagAAID, func([]byte) []byte { return []byte("abcd-1234") })}, malformed},
		"a KeyID of 31 bytes":            {softuaf.Tamper{Signed: inElement(uaf.TagKeyID, func(b []byte) []byte { return b[:31] })}, malformed},
		"several assertions, one good":   {softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions = append([]uaf.Assertion{{Scheme: "x"}}, r.Assertions...) }}, ""},
		"several assertions, none good":  {softuaf.Tamper{Response: func(r *uaf.Response) { r.Assertions = []uaf.Assertion{{Scheme: "x"}, {Scheme: uaf.SchemeTLV}} }}, malformed},
		"a header that leaves out a lot": {softuaf.Tamper{Response: func(r *uaf.Response) { r.Header.AppID, r.Header.ServerData = "", "" }}, ""},
	} {
		for kind, response := range answers(t, phone(t), c.tamper) {
			wantRefusal(t, string(kind)+", "+name, judgeUAF(kind, response), c.want, uaf.StatusUnacceptableContent)
		}
	}
}

// A dictionary of version 1.1 is taken at any position; the others are ignored.
func TestUAFVersion_OthersIgnored(t *testing.T) {
	t.Parallel()
	other := `{"header":{"upv":{"major":1,"minor":0}}}`
	for _, kind := range bothUAF {
		honest := honestUAF(t, kind).dictionary()
		wantKey(t, "first", judgeUAF(kind, "["+honest+","+other+"]"), "")
		wantKey(t, "last", judgeUAF(kind, "["+other+","+honest+"]"), "")
		wantKey(t, "two of another", judgeUAF(kind, "["+other+","+other+","+honest+"]"), fault.CeremonyMalformed)
		wantKey(t, "another alone", judgeUAF(kind, "["+other+"]"), fault.CeremonyMalformed)
	}
}
