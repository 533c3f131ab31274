package signing

import (
	"fmt"
	"strings"
	"testing"
)

func TestApprovals(t *testing.T) {
	around(`{"name":"a","roles":[{"id":"r"},{"id":""},{}],"documents":[{`+pdf64+`,"approvals":[%s]}]}`, "/documents/0/approvals", verdicts{
		{`{"role":"r"}`, ""}, {`{"role":"r"},{"role":"r"}`, ""}, {`{"role":"x"}`, "/0/role"}, {`{"role":""}`, "/0/role"}, {`{}`, "/0/role"}, {`{"role":null}`, "/0/role"},
		{`{"role":{"id":"r"}}`, "/0/role"}, {`{"role":"R"}`, "/0/role"}, {`{"role":"r"},{"role":"s"}`, "/1/role"}, {`{"role":"r","name":"","id":""}`, ""}, {`{"role":"r","id":"a b"}`, ""},
		{`{"role":"r","id":"a/b"}`, "/0/id"}, {`{"role":"r","id":".."}`, "/0/id"}, {`{"role":"r","id":7}`, "/0/id"}, {`{"role":"r","fields":[{"id":"f"},{"id":"f%"}]}`, "/0/fields/1/id"}, {`{"role":"r","name":null}`, ""},
		{`{"role":"r","fields":{}}`, "/0/fields"}, {`{"role":"r","fields":["x"]}`, "/0/fields/0"}, {`{"role":"r","fields":null}`, ""},
		{`{"role":"r","fields":[{"type":"SIGNATURE"},{"type":"SIGNATURE"}]}`, "/0/fields/1"}, {`{"role":"r","fields":[{"type":"SIGNATURE"},{"type":"INPUT"},{"type":"SIGNATURE"},{"type":"SIGNATURE"}]}`, "/0/fields/2"},
		{`{"role":"r","fields":[{"type":"SIGNATURE"}]},{"role":"r","fields":[{"type":"SIGNATURE"}]}`, ""},
	}).run(t, CheckPackage, Context{})
	c := Context{Package: stored(t)}
	verdicts{{`{"role":"r1"}`, ""}, {`{}`, "/role"}, {`{"role":"r9"}`, "/role"}, {`[]`, "malformed"}, {`{"role":"r1","fields":[{"page":-1}]}`, "/fields/0/page"}}.run(t, CheckApproval, c)
	verdicts{{`[{"role":"r1"},{"role":"r2"}]`, ""}, {`[{"role":"r1"},{}]`, "/1/role"}, {`{}`, "malformed"}, {`[7]`, "/0"}}.run(t, CheckApprovals, c)
	verdicts{{`{}`, ""}, {`{"role":"r2"}`, ""}, {`{"role":"r9"}`, "/role"}, {`{"role":""}`, "/role"}, {`{"fields":[{"extract":true,"name":"x"}]}`, "/fields/0/extract"}}.run(t, CheckApprovalUpdate, c)
}

// fieldOf returns verdicts about the members of a field of a package whose document
// extracts.
func fieldOf(parts verdicts) verdicts {
	return around(`{"name":"a","roles":[{"id":"r"}],"documents":[{"extract":true,`+pdf64+`,"approvals":[{"role":"r","fields":[{%s}]}]}]}`,
		"/documents/0/approvals/0/fields/0", parts)
}

func TestFields_TypesAndSubtypes(t *testing.T) {
	of := map[string]string{
		"SIGNATURE": "FULLNAME INITIALS CAPTURE MOBILE_CAPTURE CAPTURE_MOBILE RAW_CAPTURE CHOOSE_SIGNATURE CHOOSE_INITIALS QRCODE SEAL",
		"INPUT":     "LABEL TEXTFIELD TEXTAREA CHECKBOX DATE DATEPICKER RADIO LIST CUSTOMFIELD QRCODE SEAL",
		"IMAGE":     "QRCODE SEAL",
	}
	all := strings.Fields(of["SIGNATURE"] + " " + of["INPUT"] + " fullname IMAGE SIGNATURE")
	var parts verdicts
	for kind, subtypes := range of {
		for _, subtype := range all {
			want := "/subtype"
			for fits := range strings.FieldsSeq(subtypes) {
				if fits == subtype {
					want = ""
				}
			}
			parts = append(parts, [2]string{fmt.Sprintf(`"type":%q,"subtype":%q,"name":"n","validation":{"enum":["a"]}`, kind, subtype), want})
		}
	}
	fieldOf(parts).run(t, CheckPackage, Context{})
	fieldOf(verdicts{
		{``, ""}, {`"type":"INPUT"`, ""}, {`"type":"IMAGE"`, ""}, {`"type":"signature"`, "/type"}, {`"type":"STAMP"`, "/type"}, {`"type":null,"subtype":"LABEL"`, ""}, {`"type":3`, "/type"},
		{`"subtype":"FULLNAME"`, ""}, {`"subtype":"DRAWN"`, "/subtype"}, {`"subtype":""`, "/subtype"}, {`"subtype":1`, "/subtype"}, {`"type":"STAMP","subtype":"LABEL"`, "/type"},
		{`"type":"INPUT","subtype":"CUSTOMFIELD"`, "/name"}, {`"type":"INPUT","subtype":"CUSTOMFIELD","name":""`, "/name"}, {`"type":"INPUT","subtype":"CUSTOMFIELD","name":"cf"`, ""},
		{`"subtype":"CUSTOMFIELD","name":4`, "/name"}, {`"binding":null`, ""}, {`"binding":"{approval.signed}"`, ""}, {`"binding":"{signer.title}"`, ""}, {`"binding":"{signer.name}"`, ""},
		{`"binding":"{signer.company}"`, ""}, {`"binding":"{signer.email}"`, "/binding"}, {`"binding":"signer.name"`, "/binding"}, {`"binding":""`, "/binding"}, {`"binding":1`, "/binding"},
		{`"id":"","value":null,"data":null,"tooltip":""`, ""},
	}).run(t, CheckPackage, Context{})
}

func TestFields_Placement(t *testing.T) {
	fieldOf(verdicts{
		{`"page":0`, ""}, {`"page":12`, ""}, {`"page":-1`, "/page"}, {`"page":1.5`, "/page"}, {`"page":"1"`, "/page"}, {`"page":1.0`, ""}, {`"page":1e400`, "/page"},
		{`"top":0,"left":0,"width":0,"height":0`, ""}, {`"top":1.5,"left":2,"width":200,"height":50`, ""}, {`"top":-1`, "/top"}, {`"left":-0.1`, "/left"}, {`"width":-5`, "/width"},
		{`"height":-5`, "/height"}, {`"top":"1"`, "/top"}, {`"width":true`, "/width"}, {`"top":null`, ""}, {`"top":-1,"left":-1,"width":-1,"height":-1`, "/top /left /width /height"},
		{`"extract":true,"name":"f"`, ""}, {`"extract":true`, "/name"}, {`"extract":true,"name":""`, "/name"}, {`"extract":true,"name":null`, "/name"}, {`"extract":"x"`, "/extract"}, {`"extract":false`, ""},
		{`"extract":true,"name":"f","top":0,"left":0,"width":200,"height":50`, ""}, {`"extract":true,"name":"f","top":1`, "/extract"}, {`"extract":true,"name":"f","left":0.5`, "/extract"},
		{`"extract":true,"name":"f","extractAnchor":{"text":"t"}`, "/extractAnchor"}, {`"extractAnchor":{"text":"t"},"top":3`, "/extractAnchor"}, {`"extractAnchor":{"text":"t"},"left":3`, "/extractAnchor"},
		{`"extractAnchor":{"text":"t"},"width":200,"height":50,"top":0,"left":0`, ""}, {`"extract":false,"extractAnchor":{"text":"t"}`, ""}, {`"extractAnchor":null,"top":3`, ""},
		{`"extract":true,"name":"f","top":1,"extractAnchor":{"text":"t"}`, "/extractAnchor"},
	}).run(t, CheckPackage, Context{})
	fieldOf(around(`"extractAnchor":%s`, "/extractAnchor", verdicts{
		{`{}`, "/text"}, {`{"text":""}`, "/text"}, {`{"text":null}`, "/text"}, {`{"text":1}`, "/text"}, {`[]`, "."}, {`"x"`, "."}, {`{"text":"t","index":0,"characterIndex":0}`, ""},
		{`{"text":"t","index":-1}`, "/index"}, {`{"text":"t","characterIndex":-1}`, "/characterIndex"}, {`{"text":"t","index":1.5}`, "/index"}, {`{"text":"t","index":"0"}`, "/index"},
		{`{"text":"t","anchorPoint":"TOPLEFT"}`, ""}, {`{"text":"t","anchorPoint":"TOPRIGHT"}`, ""}, {`{"text":"t","anchorPoint":"BOTTOMLEFT"}`, ""}, {`{"text":"t","anchorPoint":"BOTTOMRIGHT"}`, ""},
		{`{"text":"t","anchorPoint":"CENTER"}`, "/anchorPoint"}, {`{"text":"t","anchorPoint":"topleft"}`, "/anchorPoint"}, {`{"text":"t","width":1,"height":0.5}`, ""}, {`{"text":"t","width":0}`, "/width"},
		{`{"text":"t","height":-1}`, "/height"}, {`{"text":"t","width":"9"}`, "/width"}, {`{"text":"t","leftOffset":-3,"topOffset":2.5}`, ""}, {`{"text":"t","leftOffset":"1"}`, "/leftOffset"},
	})).run(t, CheckPackage, Context{})
	fields := `"roles":[{"id":"r"}],"documents":[{%s,"approvals":[{"role":"r","fields":[{"extract":true,"name":"f"}]}]}]}`
	around(`{"name":"a",`+fields, "/documents/0/approvals/0/fields/0/extract", verdicts{
		{`"extract":false,` + pdf64, "."}, {pdf64, "."}, {`"extract":true,"external":{"id":"x"}`, "."}, {`"extract":true,` + pdf64, ""},
	}).run(t, CheckPackage, Context{})
}

func TestCheckField_Violations(t *testing.T) {
	verdicts{
		{`{}`, ""}, {`[]`, "malformed"}, {`{"type":"SIGNATURE","subtype":"LABEL","page":-1}`, "/subtype /page"}, {`{"extract":true,"name":"f"}`, "/extract"},
		{`{"id":"a/b"}`, "/id"}, {`{"id":""}`, ""}, {`{"id":"f.1"}`, ""}, {`{"id":[]}`, "/id"},
		{`{"type":"INPUT","subtype":"TEXTFIELD","top":5,"left":5,"validation":{"pattern":"("}}`, "/validation/pattern"}, {`{"extractAnchor":{"text":""}}`, "/extractAnchor/text"},
	}.run(t, CheckField, Context{})
}

// An update that leaves members out is checked against the stored ones.
func TestCheckFieldUpdate_AgainstStored(t *testing.T) {
	s, err := ReadStored([]byte(`{"documents":[{"id":"d","approvals":[{"id":"a","fields":[{"id":"f","type":"SIGNATURE","subtype":"FULLNAME"},
		{"id":"g","type":"INPUT","subtype":"HOLOGRAM"},{"id":"h","type":"INPUT","subtype":null}]}]},{"id":"e","approvals":[{"id":"a","fields":[{"id":"f","type":"INPUT"}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	of := func(document, field string) Context {
		return Context{Package: s, Field: FieldPath{Document: document, Approval: "a", Field: field}}
	}
	verdicts{
		{`{"subtype":"LABEL"}`, "/subtype"}, {`{"subtype":"LABEL","type":null}`, "/subtype"}, {`{"subtype":"INITIALS"}`, ""}, {`{"subtype":"SEAL"}`, ""}, {`{"type":"INPUT"}`, "/subtype"},
		{`{"type":"IMAGE","subtype":null}`, "/subtype"}, {`{"type":"SIGNATURE"}`, ""}, {`{"type":"INPUT","subtype":"LABEL"}`, ""}, {`{"top":5}`, ""}, {`{"type":"x"}`, "/type"}, {`{"subtype":5}`, "/subtype"},
	}.run(t, CheckFieldUpdate, of("d", "f"))
	verdicts{{`{"type":"INPUT"}`, ""}, {`{"subtype":"HOLOGRAM"}`, "/subtype"}, {`{"subtype":"TEXTFIELD"}`, ""}, {`{"subtype":"FULLNAME"}`, "/subtype"}}.run(t, CheckFieldUpdate, of("d", "g"))
	second := verdicts{{`{"type":"SIGNATURE"}`, "/type"}, {`{"type":"SIGNATURE","subtype":"INITIALS"}`, "/type"}, {`{"type":"INPUT","subtype":"LABEL"}`, ""}}
	second.run(t, CheckFieldUpdate, of("d", "h"))
	second.run(t, CheckField, of("d", ""))
	verdicts{{`{"type":"SIGNATURE","subtype":"INITIALS"}`, ""}}.run(t, CheckField, of("e", ""))
	verdicts{{`{"subtype":"LABEL"}`, ""}, {`{"subtype":"FULLNAME"}`, "/subtype"}}.run(t, CheckFieldUpdate, of("e", "f"))
	verdicts{{`{"subtype":"LABEL"}`, ""}, {`[]`, "malformed"}}.run(t, CheckFieldUpdate, of("x", "f"))
	verdicts{{`{"subtype":"LABEL"}`, ""}}.run(t, CheckFieldUpdate, Context{})
}
