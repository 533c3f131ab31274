package signing

import (
	"fmt"
	"strings"
	"testing"
)

// TestLists_BoundedAtTheirPointer bounds every list and object of every payload, at its pointer.
func TestLists_BoundedAtTheirPointer(t *testing.T) {
	signers := func(n int) string {
		return numbered(`{"email":"a%d@b.co","firstName":"A","lastName":"B"}`, n)
	}
	members := func(n int) string {
		all := numbered(`"m%d":1`, n)
		return "{" + all[1:len(all)-1] + "}"
	}
	for _, c := range []struct {
		check           Check
		format, pointer string
		entries         func(n int) string
	}{
		{CheckPackage, `{"name":"a","conditions":%s}`, "/conditions", func(n int) string { return numbered(`{"id":"c%d"}`, n) }},
		{CheckPackage, `{"name":"a","conditions":%s}`, "/conditions", func(n int) string { return "[" + strings.Repeat("{},", n-1) + "{}]" }},
		{CheckPackage, `{"name":"a","roles":[{"attachmentRequirements":%s}]}`, "/roles/0/attachmentRequirements", func(n int) string { return numbered(`{"name":"f%d"}`, n) }},
		{CheckPackage, `{"name":"a","roles":[{"signers":%s}]}`, "/roles/0/signers", signers},
		{CheckPackage, `{"name":"a","limits":{"languages":%s}}`, "/limits/languages", func(n int) string { return numbered(`"l%d"`, n) }},
		{CheckPackage, `{"name":"a","x":[%s]}`, "/x/0", func(n int) string { return numbered(`%d`, n) }},
		{CheckPackage, `{"name":"a","settings":%s}`, "/settings", members},
		{CheckPackageUpdate, `{"roles":[{"id":"r","signers":%s}]}`, "/roles/0/signers", signers},
		{CheckPackageUpdate, `{"messages":%s}`, "/messages", func(n int) string { return numbered(`{"content":"%d"}`, n) }},
		{CheckClone, `{"conditions":%s}`, "/conditions", func(n int) string { return numbered(`{"id":"c%d"}`, n) }},
		{CheckRole, `{"signers":%s}`, "/signers", signers}, {CheckRoleUpdate, `{"signers":%s}`, "/signers", signers},
		{CheckRoles, `[{"id":"r","signers":%s}]`, "/0/signers", signers},
		{CheckField, `{"validation":{"enum":%s}}`, "/validation/enum", func(n int) string { return numbered(`"%d"`, n) }},
		{CheckFieldUpdate, `{"validation":{"enum":%s}}`, "/validation/enum", func(n int) string { return numbered(`"%d"`, n) }},
		{CheckConditionalField, `{"validation":{"enum":%s}}`, "/validation/enum", func(n int) string { return numbered(`"%d"`, n) }},
		{CheckDocuments, `{"external":{},"approvals":%s}`, "/approvals", func(n int) string { return numbered(`{"id":"a%d","role":"r1"}`, n) }},
		{CheckCustomField, `{"value":"v","translations":[{}],"x":%s}`, "/x", func(n int) string { return numbered(`%d`, n) }},
		{CheckObject, `{"configurations":%s}`, "/configurations", func(n int) string { return numbered(`{"documentUid":"%d"}`, n) }},
		{CheckIDs, `%s`, ".", func(n int) string { return numbered(`"%d"`, n) }}, {CheckList, `%s`, ".", func(n int) string { return numbered(`{"id":"%d"}`, n) }},
		{CheckAny, `{"a":{"b":%s}}`, "/a/b", members},
	} {
		for n, want := range map[int]string{1000: "", 1001: c.pointer, 4999: c.pointer, 5001: c.pointer} {
			if n > 5000 {
				want = strings.TrimPrefix(want, ".") // the reader refuses it, whose pointers are not dotted
			}
			if got := judged(t, dotted(c.check), fmt.Sprintf(c.format, c.entries(n)), inStock(t, 3, 3, 3)); got != want {
				t.Errorf("%s with %d is refused for %q, want %q", c.format, n, got, want)
			}
		}
	}
}

// TestEntries_NotExaminedBeyondListLimit examines nothing of a list that no payload can have.
func TestEntries_NotExaminedBeyondListLimit(t *testing.T) {
	crowd := "[" + strings.Repeat("{},", 340_000) + "{}]"
	for format, want := range map[string]string{
		`{"name":"","roles":%s}`: "/roles", `{"documents":%s}`: "/documents", `{"documents":[{"approvals":[{"fields":%s}]}]}`: "/documents/0/approvals/0/fields",
		`{"a":{"b/~c":[[],%s]}}`: "/a/b~1~0c/1",
	} {
		if got := judged(t, CheckPackage, fmt.Sprintf(format, crowd), Context{}); got != want {
			t.Errorf("%s is refused for %q, want %q", format, got, want)
		}
	}
}

// TestEntries_StoredMayBeSentBack lets a package that came another way be sent back as it is.
func TestEntries_StoredMayBeSentBack(t *testing.T) {
	text := `{"name":"a","conditions":` + numbered(`{"id":"c%d"}`, 3000) + `,"documents":[{"id":"d","approvals":[{"id":"a","role":"r","fields":[{"id":"f"}]}]}],"roles":[{"id":"r"}]}`
	s, err := ReadStored([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := Context{Package: s, Field: FieldPath{Document: "d", Approval: "a", Field: "f"}}
	if got := judged(t, CheckPackageUpdate, text, c); got != "" {
		t.Errorf("sent back it is refused for %q", got)
	}
	if got := judged(t, CheckPackageUpdate, `{"conditions":`+numbered(`{"id":"n%d"}`, 1001)+`}`, c); got != "/conditions" {
		t.Errorf("others are refused for %q", got)
	}
	for payload, want := range map[string]string{`{"conditions":[{"id":"c7"}]}`: "", `{"conditions":[{"id":"new"}]}`: "/conditions", `{"conditions":[]}`: "", `{}`: ""} {
		if got := judged(t, CheckConditionalField, payload, c); got != want {
			t.Errorf("%s is refused for %q, want %q", payload, got, want)
		}
	}
}

// TestApprovals_CountedWithStored counts those of all documents, with what is stored.
func TestApprovals_CountedWithStored(t *testing.T) {
	documents := func(each ...int) string {
		all := []string{}
		for i, n := range each {
			all = append(all, fmt.Sprintf(`{"id":"d%d","external":{},"approvals":%s}`, i, numbered(`{"role":"r0","name":"%d"}`, n)))
		}
		return `{"name":"a","roles":[{"id":"r0"}],"documents":[` + strings.Join(all, ",") + `]}`
	}
	for payload, want := range map[string]string{documents(1000, 1000): "", documents(1000, 1000, 1): "/documents/2/approvals"} {
		if got := judged(t, CheckPackage, payload, Context{}); got != want {
			t.Errorf("refused for %q, want %q", got, want)
		}
	}
	s, err := ReadStored([]byte(`{"roles":[{"id":"r0"}],"documents":[{"id":"d","approvals":` + numbered(`{"id":"a%d"}`, 2000) + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[string]string{`{"role":"r0"}`: "."} {
		if got := judged(t, dotted(CheckApproval), payload, Context{Package: s}); got != want {
			t.Errorf("one more is refused for %q, want %q", got, want)
		}
	}
}

// TestLists_BoundedTogether bounds all lists and objects of a payload, and no list escapes
// its own bound by its name.
func TestLists_BoundedTogether(t *testing.T) {
	lists := func(n, each int) string {
		return "[" + strings.TrimSuffix(strings.Repeat("["+strings.Repeat("0,", each-1)+"0],", n), ",") + "]"
	}
	objects := func(n, each int) string {
		var members strings.Builder
		for i := range each {
			fmt.Fprintf(&members, `,"%x":0`, i)
		}
		return "[" + strings.TrimSuffix(strings.Repeat("{"+members.String()[1:]+"},", n), ",") + "]"
	}
	fields := numbered(`{"x":%d}`, 1001)
	for payload, want := range map[string]string{
		`{"zz":` + lists(19, 1000) + `}`: "", `{"zz":` + lists(20, 1000) + `}`: "/zz/19", `{"zz":` + lists(500, 1000) + `}`: "/zz/19",
		`{"fields":` + fields + `}`: "/fields", `{"roles":[{"id":"r","fields":` + fields + `}]}`: "/roles/0/fields",
		`{"documents":[{"approvals":[{"role":"r0","fields":` + fields + `}]}]}`:                          "",
		`{"documents":[{"approvals":[{"role":"r0","fields":[{"fields":` + fields + `}]}]}]}`:             "/documents/0/approvals/0/fields/0/fields",
		`{"documents":[{"approvals":[{"role":"r0","fields":` + numbered(`{"zz":[0,%d]}`, 1900) + `}]}]}`: "",
		`{"documents":[{"approvals":[{"role":"r0","fields":[{"zz":` + lists(20, 1000) + `}]}]}]}`:        "/documents/0/approvals/0/fields/0/zz/19",
		`{"a":` + objects(99, 1000) + `}`: "", `{"a":` + objects(101, 1000) + `}`: "/a/99",
	} {
		if got := judged(t, CheckPackageUpdate, payload, inStock(t, 3, 3, 3)); got != want {
			t.Errorf("%.60s… of %d bytes is refused for %q, want %q", payload, len(payload), got, want)
		}
	}
	text := `{"zz":` + lists(30, 1000) + `}`
	s, err := ReadStored([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[string]string{text: "", `{"name":"a",` + text[1:]: "", `{"zz":` + lists(31, 1000) + `}`: "/zz/19"} {
		if got := judged(t, CheckPackageUpdate, payload, Context{Package: s}); got != want {
			t.Errorf("of a package of %d bytes, %d are refused for %q, want %q", len(text), len(payload), got, want)
		}
	}
}
