package uaf_test

import (
	"slices"
	"testing"

	"countersign/internal/uaf"
)

func TestAttestation_ExactlyOne(t *testing.T) {
	signature := uaf.Element{Tag: uaf.TagSignature, Value: []byte("s")}
	certificate := uaf.Element{Tag: uaf.TagAttestationCert, Value: []byte("c")}
	composite := func(tag uaf.Tag, children ...uaf.Element) uaf.Element {
		return uaf.Element{Tag: tag, Children: children}
	}
	surrogate := composite(uaf.TagAttestationSurrogate, signature)
	full := composite(uaf.TagAttestationFull, signature, certificate)
	many := composite(uaf.TagAttestationFull, append(slices.Repeat([]uaf.Element{certificate}, 9), signature)...)
	cases := []struct {
		name         string
		attestations []uaf.Element
		want         uaf.Status
	}{
		{"none", nil, content},
		{"surrogate", []uaf.Element{surrogate}, uaf.StatusOK},
		{"full", []uaf.Element{full}, uaf.StatusOK},
		{"ECDAA is well-formed", []uaf.Element{composite(uaf.TagAttestationECDAA, signature)}, uaf.StatusOK},
		{"surrogate twice", []uaf.Element{surrogate, surrogate}, content},
		{"full and surrogate", []uaf.Element{full, surrogate}, content},
		{"surrogate with a certificate", []uaf.Element{composite(uaf.TagAttestationSurrogate, signature, certificate)}, content},
		{"full without a certificate", []uaf.Element{composite(uaf.TagAttestationFull, signature)}, content},
		{"more certificates than any chain has", []uaf.Element{many}, content},
		{"surrogate without a signature", []uaf.Element{composite(uaf.TagAttestationSurrogate)}, content},
		{"a signature in its own", []uaf.Element{signature}, content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := uaf.Element{Tag: uaf.TagRegistrationAssertion, Children: append([]uaf.Element{krd().Element()}, c.attestations...)}
			wantStatus(t, kinds[0].parse(encoded(t, e)), c.want)
		})
	}
}

func TestExtensions_CriticalOrMalformed(t *testing.T) {
	id := uaf.Element{Tag: uaf.TagExtensionID, Value: []byte("vendor")}
	data := uaf.Element{Tag: uaf.TagExtensionData, Value: []byte("anything")}
	extension := func(tag uaf.Tag, children ...uaf.Element) []uaf.Element {
		return []uaf.Element{{Tag: tag, Children: children}}
	}
	cases := []struct {
		name       string
		extensions []uaf.Element
		want       uaf.Status
	}{
		{"ignorable", extension(uaf.TagExtension, id, data), uaf.StatusOK},
		{"ignorable, data first", extension(uaf.TagExtension, data, id), uaf.StatusOK},
		{"ignorable, empty data", extension(uaf.TagExtension, id, uaf.Element{Tag: uaf.TagExtensionData}), uaf.StatusOK},
		{"two ignorable", append(extension(uaf.TagExtension, id, data), extension(uaf.TagExtension, id, data)...), uaf.StatusOK},
		{"critical", extension(uaf.TagCriticalExtension, id, data), content},
		{"critical after ignorable", append(extension(uaf.TagExtension, id, data), extension(uaf.TagCriticalExtension, id, data)...), content},
		{"without id", extension(uaf.TagExtension, data), content},
		{"with an empty id", extension(uaf.TagExtension, uaf.Element{Tag: uaf.TagExtensionID}, data), content},
		{"without data", extension(uaf.TagExtension, id), content},
		{"empty", extension(uaf.TagExtension), content},
		{"two ids", extension(uaf.TagExtension, id, id, data), content},
		{"an extension inside", extension(uaf.TagExtension, id, data, extension(uaf.TagExtension, id, data)[0]), content},
		{"something else inside", extension(uaf.TagExtension, id, data, uaf.Element{Tag: uaf.TagSignature}), content},
		{"no TLV inside", []uaf.Element{{Tag: uaf.TagExtension, Value: []byte("abc")}}, content},
		{"a bare id", []uaf.Element{id}, content},
		{"an unknown tag that looks like one", extension(0x3E15, id, data), content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { everywhere(t, c.extensions, c.want) })
	}
}

// everywhere adds elements to each composite of both assertions, before, between and
// after the existing ones, and requires the parser's status to be want.
func everywhere(t *testing.T, added []uaf.Element, want uaf.Status) {
	t.Helper()
	for _, kind := range kinds {
		whole := kind.make()
		for _, composite := range composites(&whole) {
			for at := range len(composite.Children) + 1 {
				before := composite.Children
				composite.Children = slices.Insert(slices.Clone(before), at, added...)
				if err := kind.parse(encoded(t, whole)); uaf.StatusOf(err) != want {
					t.Errorf("%s, %s at %d: %v, want %d", kind.name, composite.Tag, at, err, want)
				}
				composite.Children = before
			}
		}
	}
}

// composites returns the composite elements within e, and e itself.
func composites(e *uaf.Element) []*uaf.Element {
	if len(e.Children) == 0 {
		return nil
	}
	found := []*uaf.Element{e}
	for i := range e.Children {
		found = append(found, composites(&e.Children[i])...)
	}
	return found
}

// The critical bit of its tag, 0x2000, decides whether an unknown element is refused,
// whatever it holds.
func TestUnknownElement_CriticalBitDecides(t *testing.T) {
	values := map[string][]byte{"empty": nil, "bytes": {1, 2, 3}, "long": make([]byte, 300), "no TLV": {0x13, 0x2E, 0xFF, 0xFF}}
	tags := map[uaf.Tag]uaf.Status{
		0x0103: uaf.StatusOK, // the user verification index
		0x0000: uaf.StatusOK, 0x0001: uaf.StatusOK, 0x0E0B: uaf.StatusOK, 0x0E11: uaf.StatusOK, 0x1E03: uaf.StatusOK,
		0x1E12: uaf.StatusOK, 0xDFFF: uaf.StatusOK, 0x8103: uaf.StatusOK,
		0x2103: content, 0x2E20: content, 0x2000: content, 0x3000: content, 0x3E20: content, 0xFFFF: content, 0x2E15: content,
		0xAE0B: content,
	}
	for tag, want := range tags {
		t.Run(tag.String(), func(t *testing.T) {
			for name, value := range values {
				one := uaf.Element{Tag: tag, Value: value}
				t.Run(name, func(t *testing.T) { everywhere(t, []uaf.Element{one}, want) })
			}
			twice := uaf.Element{Tag: tag, Value: []byte("again")}
			t.Run("twice", func(t *testing.T) { everywhere(t, []uaf.Element{twice, twice}, want) })
		})
	}
	mixed := []uaf.Element{{Tag: 0x0103, Value: []byte("index")}, {Tag: 0x2103, Value: []byte("index")}}
	everywhere(t, mixed, content)
}

// An ignored extension may hold unknown elements too.
func TestExtensions_UnknownElementsInside(t *testing.T) {
	id, data := uaf.Element{Tag: uaf.TagExtensionID, Value: []byte("x")}, uaf.Element{Tag: uaf.TagExtensionData}
	for tag, want := range map[uaf.Tag]uaf.Status{0x0103: uaf.StatusOK, 0x2103: content} {
		unknown := uaf.Element{Tag: tag, Value: []byte("index")}
		for _, children := range [][]uaf.Element{{unknown, id, data}, {id, unknown, data}, {id, data, unknown, unknown}} {
			everywhere(t, []uaf.Element{{Tag: uaf.TagExtension, Children: children}}, want)
		}
	}
}

// Elements inside an unknown element do not count as required ones.
func TestUnknownElement_ChildrenDoNotCount(t *testing.T) {
	for _, kind := range kinds {
		whole := kind.make()
		hidden := uaf.Element{Tag: 0x1E03, Children: whole.Children}
		wantStatus(t, kind.parse(encoded(t, uaf.Element{Tag: whole.Tag, Children: []uaf.Element{hidden}})), content)
		wantStatus(t, kind.parse(encoded(t, uaf.Element{Tag: 0x1E03, Children: []uaf.Element{whole}})), content)
		wantStatus(t, kind.parse(encoded(t, uaf.Element{Tag: whole.Tag &^ 0x2000, Children: whole.Children})), content)
		cut := kind.make()
		cut.Children = append(cut.Children, uaf.Element{Tag: 0x0103, Value: []byte("index")})
		data := encoded(t, cut)
		data[len(data)-len("index")-2]++ // its length now exceeds its container
		wantStatus(t, kind.parse(data), content)
	}
}
