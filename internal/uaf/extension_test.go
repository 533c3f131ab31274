package uaf_test

import (
	"slices"
	"testing"

	"countersign/internal/uaf"
)

func TestOneAttestation(t *testing.T) {
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

func TestExtensions(t *testing.T) {
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
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range kinds {
				for _, where := range tagsOf(kind.make()) {
					if !where.Composite() {
						continue
					}
					e := kind.make()
					if where == e.Tag {
						e.Children = append(slices.Clone(c.extensions), e.Children...)
					}
					edit(&e, where, func(p *uaf.Element, i int) {
						p.Children[i].Children = append(p.Children[i].Children, c.extensions...)
					})
					wantStatus(t, kind.parse(encoded(t, e)), c.want)
				}
			}
		})
	}
}
