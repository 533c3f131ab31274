package signing

import (
	"fmt"
	"strings"
	"testing"
)

// A stored value that exceeds a bound may be sent back, however it is spelled, but not be
// sent again.
func TestStoredValues_MayExceedBounds(t *testing.T) {
	name, prose, text, data := strings.Repeat("n", 300), strings.Repeat("p", 5000), strings.Repeat("t", 70_000), `{"a":"`+strings.Repeat("d", 20_000)+`","n":1.0}`
	s, err := ReadStored(fmt.Appendf(nil, `{"id":"p","name":%q,"description":%q,"emailMessage":%q,"data":{"countersign":{"owner":"o"},%s,"x":[%q,{"deep":%q}],%q:1,
		"roles":[{"id":"r0","signers":[{"id":"s0","email":"zero@b.co"}]},{"id":"r1","name":%q,"emailMessage":{"content":%q},"signers":[{"id":"s1","email":"one\u200b@b.co","firstName":%q,"company":%q},{"id":"s2","email":"two@b.co","lastName":%q}]}],
		"documents":[{"id":"d0"},{"id":"d","name":%q,"description":%q,"approvals":[{"id":"a","role":"r1","name":%q,"fields":[{"id":"f","value":%q}]}]}]}`,
		name, prose, prose, data[1:], text, text, text, name, prose, name, name, name, name, text, text, text))
	if err != nil {
		t.Fatal(err)
	}
	c := Context{Package: s, Field: FieldPath{Document: "d", Approval: "a", Field: "f"}}
	roleUpdate := func(p *Payload, c Context) error {
		c.Role = "r1"
		return CheckRoleUpdate(p, c)
	}
	escaped := `\u006e` + name[1:]
	for _, one := range []struct {
		check          Check
		payload, again string // the payload as it is stored; the part that is sent again
		pointer        string // of that part
	}{
		{CheckPackageUpdate, `{"name":"` + escaped + `"}`, name, "/name"}, {CheckPackageUpdate, `{"name":"b","description":"` + prose + `"}`, prose, "/description"},
		{CheckPackageUpdate, `{"emailMessage":"` + prose + `"}`, prose, "/emailMessage"},
		{CheckPackageUpdate, `{"data":` + strings.Replace(data, "1.0", "1e0", 1) + `}`, strings.Repeat("d", 20_000), "/data"},
		{CheckPackageUpdate, `{"x":["` + text + `",{"deep":"` + text + `"}]}`, text, "/x/0 /x/1/deep"}, {CheckPackageUpdate, `{"` + text + `":2}`, text, ""},
		{CheckPackageUpdate, `{"roles":[{"id":"r1","name":"` + name + `"}]}`, name, "/roles/0/name"},
		{CheckPackageUpdate, `{"documents":[{"id":"d","name":"` + name + `"}]}`, name, "/documents/0/name"},
		{roleUpdate, `{"name":"` + name + `","reassign":true}`, name, "/name"}, {roleUpdate, `{"emailMessage":{"content":"` + prose + `"}}`, prose, "/emailMessage/content"},
		{roleUpdate, `{"signers":[{"id":"s2","lastName":"` + name + `"}]}`, name, "/signers/0/lastName"},
		{roleUpdate, `{"signers":[{"email":"TWO@b.co","lastName":"` + name + `"}]}`, name, "/signers/0/lastName"},
		{roleUpdate, `{"signers":[{"firstName":"` + name + `"}]}`, name, "/signers/0/firstName"},
		{roleUpdate, `{"signers":[{"id":"s1","email":"one\u200b@b.co"}]}`, "one", "/signers/0/email"},
		{CheckRoles, `[{"id":"r1","name":"` + name + `"},{"id":"r0"}]`, name, "/0/name"}, {CheckList, `[{"id":"d","description":"` + text + `"},{"id":"d0"}]`, text, "/0/description"},
		{CheckDocumentUpdate, `{"name":"` + name + `","description":"` + text + `"}`, text, "/description"},
		{CheckApprovals, `[{"id":"a","role":"r1","name":"` + text + `"}]`, text, "/0/name"}, {CheckApprovalUpdate, `{"name":"` + text + `"}`, text, "/name"},
		{CheckFieldUpdate, `{"value":"` + text + `"}`, text, "/value"},
	} {
		if got := judged(t, one.check, one.payload, c); got != "" {
			t.Errorf("%.60s…, as it is stored, is refused for %q", one.payload, got)
		}
		if !strings.Contains(one.payload, one.again) && !strings.Contains(one.payload, escaped) {
			t.Fatalf("%.60s… has nothing to send again", one.payload)
		}
		again := strings.ReplaceAll(strings.ReplaceAll(one.payload, escaped, name), one.again, one.again+"s")
		if got := judged(t, one.check, again, c); got != one.pointer {
			t.Errorf("%.60s…, sent again, is refused for %q, want %q", one.payload, got, one.pointer)
		}
	}
	// A new part has no stored counterpart, nor has one that moved.
	verdicts{
		{`{"name":"b","emailMessage":"` + prose[1:] + `"}`, "/emailMessage"}, {`{"roles":[{"id":"r0","name":"` + name + `"}]}`, "/roles/0/name"},
		{`{"roles":[{},{"id":"new","name":"` + name + `"}]}`, "/roles/1/name"}, {`{"y":["` + text + `"]}`, "/y/0"},
	}.run(t, CheckPackageUpdate, c)
	verdicts{{`{"name":"` + name + `"}`, "/name"}}.run(t, CheckClone, c)
	verdicts{{`{"signers":[{"id":"s1","lastName":"` + name + `"}]}`, "/signers/0/lastName"}}.run(t, roleUpdate, c)
}
