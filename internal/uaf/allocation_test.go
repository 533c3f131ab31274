package uaf_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

// hostile returns an assertion filled up to its limit with as many elements as fit.
func hostile(t testing.TB, fill func(*uaf.Element)) []byte {
	t.Helper()
	e := registrationElement()
	for {
		before := encoded(t, e)
		fill(&e)
		if len(encoded(t, e)) > uaf.MaxAssertion {
			return before
		}
	}
}

// Parsing 4096 bytes of any content allocates at most ten times as much.
func TestParse_AllocationBounded(t *testing.T) {
	tiny := uaf.Element{Tag: uaf.TagExtension, Children: []uaf.Element{
		{Tag: uaf.TagExtensionID, Value: []byte("x")}, {Tag: uaf.TagExtensionData},
	}}
	certificates := hostile(t, func(e *uaf.Element) {
		full := &e.Children[1]
		full.Children = append(full.Children, uaf.Element{Tag: uaf.TagAttestationCert, Value: []byte{1}})
	})
	extensions := hostile(t, func(e *uaf.Element) { e.Children = append(e.Children, tiny) })
	large := registrationElement()
	edit(&large, uaf.TagKeyID, func(p *uaf.Element, i int) { p.Children[i].Value = make([]byte, 2048) })
	edit(&large, uaf.TagPublicKey, func(p *uaf.Element, i int) { p.Children[i].Value = make([]byte, 1700) })
	inputs := map[string][]byte{
		"certificates": certificates, "extensions": extensions, "large": encoded(t, large),
		"nothing": make([]byte, uaf.MaxAssertion), "ones": bytes.Repeat([]byte{0x12, 0x3E, 0, 0}, 1024),
	}
	for _, outer := range []uaf.Tag{uaf.TagRegistrationAssertion, uaf.TagAuthenticationAssertion} {
		inputs["extensions in themselves, in "+outer.String()] = nested(outer, uaf.TagExtension)
		inputs["assertions in themselves, in "+outer.String()] = nested(outer, outer)
		inputs["signed data in itself, in "+outer.String()] = nested(outer, uaf.TagSignedData)
		inputs["nothing, many times, in "+outer.String()] = within(outer, bytes.Repeat([]byte{0x14, 0x2E, 0, 0}, 1023))
	}
	for name, input := range inputs {
		if len(input) < 3900 && name != "large" || len(input) > uaf.MaxAssertion {
			t.Errorf("%s: %d bytes", name, len(input))
		}
		for parser, parse := range parsers {
			allocated := bytesPerRun(func() { parse(input) })
			if limit := uint64(10 * len(input)); allocated > limit {
				t.Errorf("%s, %s: %d bytes allocated for %d", parser, name, allocated, len(input))
			}
		}
	}
}

var parsers = map[string]func([]byte){
	"registration":   func(input []byte) { _, _ = uaf.ParseRegistrationAssertion(input) },
	"authentication": func(input []byte) { _, _ = uaf.ParseAuthenticationAssertion(input) },
}

// nested returns elements inside each other, as deep as an assertion allows.
func nested(outer, inner uaf.Tag) []byte {
	var content []byte
	for len(content)+8 <= uaf.MaxAssertion {
		content = within(inner, content)
	}
	return within(outer, content)
}

// within returns content as an element of tag.
func within(tag uaf.Tag, content []byte) []byte {
	out := binary.LittleEndian.AppendUint16(nil, uint16(tag))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(content)))
	return append(out, content...)
}

// A message with many parts to decode costs only a few times its size.
func TestMessage_AllocationBounded(t *testing.T) {
	fill := func(before, one, after string) string {
		room := uaf.MaxMessage - len(before) - len(one) - len(after)
		return before + one + strings.Repeat(","+one, room/(len(one)+1)) + after
	}
	header := `{"header":{"upv":{"major":1,"minor":1},"op":"Reg"},"fcParams":"AAAA","assertions":`
	inputs := map[string]string{
		"assertions": fill("["+header+"[", `{"assertionScheme":"","assertion":""}`, "]}]"),
		"zeros":      fill("[", "0", "]"),
		"extensions": fill(`[{"header":{"upv":{"major":1,"minor":1},"op":"Reg","exts":[`, `{"id":"x","data":"","fail_if_unknown":false}`, "]}}]"),
		"objects":    fill("["+header+"[", "{}", "]}]"),
	}
	for name, input := range inputs {
		allocated := bytesPerRun(func() { _, _ = uaf.ParseRegistrationResponse(input) })
		if limit := uint64(20 * len(input)); allocated > limit {
			t.Errorf("%s: %d bytes allocated for %d", name, allocated, len(input))
		}
	}
}

func bytesPerRun(run func()) uint64 {
	const runs = 5 // each allocates the same
	run()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		run()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}
