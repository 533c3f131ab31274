package signing

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
)

// judged returns the result of a check: "malformed", or the pointers of its violations.
func judged(t *testing.T, check Check, payload string, c Context) string {
	t.Helper()
	p, err := NewPayload([]byte(payload))
	if err == nil {
		err = check(p, c)
	}
	if err == nil {
		return ""
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("%s: %v", payload, err)
	}
	if f.Key == fault.RequestMalformed {
		return "malformed"
	}
	if f.Key != fault.RequestInvalid || len(f.Fields) == 0 {
		t.Fatalf("%s: %v", payload, err)
	}
	var pointers []string
	for _, field := range f.Fields {
		if !strings.HasPrefix(field.Detail, "field.") {
			t.Errorf("%s: the detail %q", payload, field.Detail)
		}
		pointers = append(pointers, field.Pointer)
	}
	return strings.Join(pointers, " ")
}

// verdicts are payloads with the pointers of their violations.
type verdicts [][2]string

func (v verdicts) run(t *testing.T, check Check, c Context) {
	t.Helper()
	for _, one := range v {
		if got := judged(t, check, one[0], c); got != one[1] {
			t.Errorf("%s\n\tis refused for %q, want %q", one[0], got, one[1])
		}
	}
}

// around returns verdicts about parts of payloads: format has a place for the part, and
// prefix is put before each pointer that begins with a slash; "." is the part itself.
func around(format, prefix string, parts verdicts) verdicts {
	var all verdicts
	for _, part := range parts {
		var pointers []string
		for pointer := range strings.FieldsSeq(part[1]) {
			if strings.HasPrefix(pointer, "/") || pointer == "." {
				pointer = prefix + strings.TrimPrefix(pointer, ".")
			}
			pointers = append(pointers, pointer)
		}
		all = append(all, [2]string{fmt.Sprintf(format, part[0]), strings.Join(pointers, " ")})
	}
	return all
}

var long255, long256 = strings.Repeat("ü", 255), strings.Repeat("ü", 256)

func TestCheckPackage_Violations(t *testing.T) {
	verdicts{
		{`{}`, "/name"}, {`{"name":null}`, "/name"}, {`{"name":""}`, "/name"}, {`{"name":5}`, "/name"}, {`{"name":["a"]}`, "/name"},
		{`{"name":"a"}`, ""}, {`{"name":" "}`, ""}, {`{"name":"` + long255 + `"}`, ""}, {`{"name":"` + long256 + `"}`, "/name"},
		{`{"name":"` + strings.Repeat("a", 9000) + `"}`, "/name"}, {`{"name":"` + strings.Repeat(`\ud83d\ude00`, 255) + `"}`, ""},
		{`{"name":"` + strings.Repeat(`\ud83d\ude00`, 256) + `"}`, "/name"},
		{`[]`, "malformed"}, {`5`, "malformed"}, {`"a"`, "malformed"}, {`null`, "malformed"}, {``, "malformed"}, {`{`, "malformed"},
		{`{"name":"a"}{}`, "malformed"}, {`{"name":"a"} x`, "malformed"}, {`{"name":"a"}"b`, "malformed"}, {`{"name":"a`, "malformed"}, {`{"name":"a","name":"a"}`, "malformed"},
		{`{"name":"a","x":{"y":1,"\u0079":2}}`, "malformed"}, {`{"name":"\ud800"}`, "malformed"}, {`{"name":"\udc00"}`, "malformed"},
		{`{"name":"\ud800\ud800"}`, "malformed"}, {"{\"name\":\"\xff\"}", "malformed"}, {"{\"name\":\"\xed\xa0\x80\"}", "malformed"},
		{"{\"name\":\"a\nb\"}", "malformed"}, {`{"name":"\x"}`, "malformed"}, {`{name:"a"}`, "malformed"}, {`{"name":"a",}`, "malformed"},
		{"\ufeff{\"name\":\"a\"}", "malformed"}, {" {\"name\" :\t\"a\"}\r\n", ""},
	}.run(t, CheckPackage, Context{})
	around(`{"name":"a",%s}`, "", verdicts{
		{`"x":1,"esl":{"y":[null]}`, ""},
		{`"status":"DRAFT"`, ""}, {`"status":"SENT"`, ""}, {`"status":null`, ""}, {`"status":"COMPLETED"`, "/status"}, {`"status":"draft"`, "/status"},
		{`"status":""`, "/status"}, {`"status":true`, "/status"},
		{`"type":"PACKAGE"`, ""}, {`"type":"template"`, ""}, {`"type":"Layout"`, ""}, {`"type":"BOX"`, "/type"}, {`"type":1`, "/type"},
		{`"autocomplete":true,"trashed":false`, ""}, {`"autocomplete":"true"`, "/autocomplete"}, {`"trashed":0`, "/trashed"}, {`"trashed":null`, ""},
		{`"due":"2030-01-31T12:00:00Z"`, ""}, {`"due":"2030-01-31T12:00:00.123+01:30"`, ""}, {`"due":"2030-01-31T12:00:00+0130"`, ""},
		{`"due":null`, ""}, {`"due":"2030-01-31"`, "/due"}, {`"due":"tomorrow"`, "/due"}, {`"due":1893456000`, "/due"},
		{`"due":"2030-02-30T12:00:00Z"`, "/due"}, {`"due":""`, "/due"}, {`"due":"2030-01-31T12:00:00"`, "/due"},
		{`"sender":{"email":"a@b.co"}`, "/sender"}, {`"sender":null`, ""}, {`"sender":"x"`, "/sender"},
		{`"data":{"a":1}`, ""}, {`"data":null`, ""}, {`"data":{"countersign":{}}`, "/data/countersign"}, {`"data":{"countersign":"x","y":1}`, "/data/countersign"},
		{`"data":{"countersign":null}`, ""}, {`"data":[]`, "/data"}, {`"data":{"\u0063ountersign":1}`, "/data/countersign"},
		{`"roles":{}`, "/roles"}, {`"roles":[5]`, "/roles/0"}, {`"roles":[{},null]`, "/roles/1"}, {`"roles":null,"documents":null`, ""},
		{`"documents":"x"`, "/documents"}, {`"documents":[[]]`, "/documents/0"},
		{`"status":"X","type":"Y","due":"Z"`, "/status /type /due"},
	}).run(t, CheckPackage, Context{})
	verdicts{{`{"name":"a","sender":{"email":"a@b.co"}}`, ""}}.run(t, CheckPackage, Context{Operator: true})
}

func TestCheckPackageUpdate_Violations(t *testing.T) {
	verdicts{
		{`{}`, ""}, {`{"name":null}`, ""}, {`{"name":""}`, "/name"}, {`{"name":"` + long256 + `"}`, "/name"}, {`[]`, "malformed"},
		{`{"status":"SENT"}`, ""}, {`{"status":"OPTED_OUT"}`, ""}, {`{"status":"EXPIRED"}`, ""}, {`{"status":"DELETED"}`, "/status"},
		{`{"trashed":true}`, ""}, {`{"trashed":"yes"}`, "/trashed"}, {`{"sender":{}}`, "/sender"}, {`{"data":{"countersign":1}}`, "/data/countersign"},
		{`{"roles":[{"id":"r1","signers":[{"email":"al@b.co"}]}]}`, ""},
		{`{"documents":[{"id":"d","approvals":[{"role":"r1"}]}]}`, ""}, {`{"documents":[{"approvals":[{"role":"r9"}]}]}`, "/documents/0/approvals/0/role"},
	}.run(t, CheckPackageUpdate, Context{Package: stored(t)})
	verdicts{{`{}`, ""}, {`{"name":"b","type":"TEMPLATE"}`, ""}, {`{"sender":{"email":"x@y.co"}}`, "/sender"}, {`{"type":"x"}`, "/type"}}.run(t, CheckClone, Context{})
}

// The SDKs send back the sender that they have read, with what is not set as an empty
// text. That names nobody.
func TestSender_SentBackEmpty(t *testing.T) {
	s, err := ReadStored([]byte(`{"sender":{"id":"1","email":"s@b.co","firstName":"Sam","lastName":"S","phone":null,"company":"C"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := Context{Package: s}
	read := `{"sender":{"title":"","company":"C","firstName":"Sam","lastName":"S","email":"s@b.co"}}`
	verdicts{
		{read, ""}, {`{"sender":{"email":"S@b.co"}}`, ""}, {`{"sender":{"email":"s@b.co","phone":""}}`, ""},
		{`{"sender":{"email":"s@b.co","phone":"1"}}`, "/sender"}, {`{"sender":{"email":"s@b.co","company":""}}`, "/sender"},
		{`{"sender":{"email":"s@b.co","company":null}}`, "/sender"}, {`{"sender":{"email":"s@b.co","firstName":"Eve"}}`, "/sender"},
		{`{"sender":{"company":"C","email":"s@b.co","firstName":"Sam","lastName":"S","memberships":[],"professionalIdentityFields":[],"specialTypes":[],"status":"INVITED","title":"","type":"REGULAR","userCustomFields":[]}}`, ""},
		{`{"sender":{"email":"s@b.co","status":"ACTIVE"}}`, "/sender"}, {`{"sender":{"email":"s@b.co","type":"MANAGER"}}`, "/sender"},
		{`{"sender":{"email":"s@b.co","memberships":[{}]}}`, "/sender"}, {`{"sender":{"email":"e@b.co"}}`, "/sender"},
		{`{"sender":{"firstName":"Sam"}}`, "/sender"}, {`{"sender":{}}`, "/sender"}, {`{"sender":"s@b.co"}`, "/sender"},
	}.run(t, CheckPackageUpdate, c)
	verdicts{{read, "/sender"}}.run(t, CheckClone, c)
	verdicts{{`{"name":"a",` + read[1:], "/sender"}}.run(t, CheckPackage, Context{})
}

// stored is a package with roles r1 and r2, of which r2's signer is told by SMS.
func stored(t *testing.T) *Package {
	t.Helper()
	s, err := ReadStored([]byte(`{"id":"p","id":"p","status":"SENT","type":"PACKAGE","data":{"countersign":{"owner":"a@x"},"b":1},"roles":[
		{"id":"r1","signers":[{"id":"s1","email":"al@b.co"}]},
		{"id":"r2","signers":[{"id":"s2","email":"Bo@b.co","phone":"+15145550100","notificationMethods":{"primary":["SMS"]}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadStored_MalformedIsPlatformFailure(t *testing.T) {
	if _, err := ReadStored([]byte(`{"roles":[{"id":5}]}`)); !fault.Is(err, fault.PlatformFailed) {
		t.Errorf("%v, want platform.failed", err)
	}
}

// At most twenty violations are named, one at each place.
func TestViolations_AtMostTwenty(t *testing.T) {
	p, err := NewPayload([]byte(`{"name":"a","roles":[` + strings.Repeat(`{"type":5},`, 30) + `{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	f := fault.From(CheckPackage(p, Context{}))
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("/roles/%d/type", i))
	}
	var got []string
	for _, field := range f.Fields {
		got = append(got, field.Pointer)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
