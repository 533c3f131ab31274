package signing

import (
	"fmt"
	"testing"
)

// What people and things are called has no control characters and turns no direction of
// writing; texts of several lines may have tabs and line breaks. Joiners and marks stay.
// A field of the file is named as the file names it.
func TestTexts_NoControlCharacters(t *testing.T) {
	const line, prose = true, false
	for _, c := range []struct {
		check           Check
		format, pointer string
		oneLine         bool
	}{
		{CheckPackage, `{"name":"%s"}`, "/name", line}, {CheckPackage, `{"name":"a","description":"%s"}`, "/description", prose},
		{CheckPackage, `{"name":"a","emailMessage":"%s"}`, "/emailMessage", prose}, {CheckPackageUpdate, `{"name":"%s"}`, "/name", line}, {CheckClone, `{"name":"%s"}`, "/name", line},
		{CheckRoleUpdate, `{"name":"%s"}`, "/name", line}, {CheckRoleUpdate, `{"emailMessage":{"content":"%s"}}`, "/emailMessage/content", prose},
		{CheckRoles, `[{"id":"r"},{"signers":[{"firstName":"%s"}]}]`, "/1/signers/0/firstName", line}, {CheckRoleUpdate, `{"signers":[{"lastName":"%s"}]}`, "/signers/0/lastName", line},
		{CheckRoleUpdate, `{"signers":[{"title":"%s"}]}`, "/signers/0/title", line}, {CheckRoleUpdate, `{"signers":[{"company":"%s"}]}`, "/signers/0/company", line},
		{CheckRoleUpdate, `{"attachmentRequirements":[{"name":"%s"}]}`, "/attachmentRequirements/0/name", line},
		{CheckRoleUpdate, `{"attachmentRequirements":[{"description":"%s"}]}`, "/attachmentRequirements/0/description", prose},
		{CheckDocuments, `{"external":{},"name":"%s"}`, "/name", line}, {CheckDocumentUpdate, `{"name":"%s"}`, "/name", line}, {CheckDocumentUpdate, `{"description":"%s"}`, "/description", prose}, {CheckApprovalUpdate, `{"name":"%s"}`, "/name", line},
		{CheckFieldUpdate, `{"name":"%s"}`, "/name", line}, {CheckFieldUpdate, `{"value":"%s"}`, "/value", prose},
		{CheckFieldUpdate, `{"validation":{"errorMessage":"%s"}}`, "/validation/errorMessage", prose}, {CheckNotification, `{"message":"%s"}`, "/message", prose},
		{CheckCustomField, `{"value":"%s","translations":[{}]}`, "/value", line}, {CheckCustomField, `{"value":"a","translations":[{"name":"%s"}]}`, "/translations/0/name", line},
		{CheckRoleUpdate, `{"signers":[{"id":"%s"}]}`, "/signers/0/id", line}, {CheckFieldUpdate, `{"validation":{"enum":["a","%s"]}}`, "/validation/enum/1", line},
		{CheckFieldUpdate, `{"group":"%s"}`, "/group", line}, {CheckFieldUpdate, `{"validation":{"group":"%s"}}`, "/validation/group", line},
		{CheckFieldUpdate, `{"tooltip":"%s"}`, "/tooltip", prose}, {CheckList, `[{"id":"d"},{"name":"%s"}]`, "/1/name", line},
		{CheckRoleUpdate, `{"signers":[{"auth":{"challenges":[{"question":"%s"}]}}]}`, "/signers/0/auth/challenges/0/question", prose},
		{CheckPackage, `{"name":"a","settings":{"ceremony":{"declineReasons":["%s"]}}}`, "/settings/ceremony/declineReasons/0", prose},
		{CheckPackageUpdate, `{"settings":{"ceremony":{"handOver":{"text":"%s"}}}}`, "/settings/ceremony/handOver/text", prose},
		{CheckPackageUpdate, `{"messages":[{"content":"%s"}]}`, "/messages/0/content", prose}, {CheckObject, `{"a":{"b":"%s"}}`, "/a/b", prose}, {CheckAny, `["%s"]`, "/0", prose},
	} {
		for text, refused := range map[string]bool{
			`Bob\u202e`: true, `\u202aBob`: true, `B\u2066ob`: true, `Bob\u2069`: true, `a\u0000`: true, `a\u001bb`: true, `a\u007f`: true, `a\u0085`: true, `a\u2028b`: true, `a\u2029b`: true,
			`a\tb`: c.oneLine, `a\nb`: c.oneLine, `a\r\nb`: c.oneLine,
			`a\u200d\u200c\u200e\u200f\u061cb`: false, "שלום עולם": false,
		} {
			want := ""
			if refused {
				want = c.pointer
			}
			if got := judged(t, c.check, fmt.Sprintf(c.format, text), Context{}); got != want {
				t.Errorf("%s with %s is refused for %q, want %q", c.format, text, got, want)
			}
		}
	}
	verdicts{{`{"name":"Bob\u202e","extract":true}`, "/extract"}}.run(t, CheckFieldUpdate, Context{}) // without a file, but for nothing else
	verdicts{
		{`{"extractAnchor":{"text":"a\u202eb"}}`, ""}, {`{"validation":{"pattern":"[\u202e]"}}`, ""}, {`{"data":{"a":["\u202e"]}}`, ""}, {`{"x":"\u202e"}`, "/x"},
	}.run(t, CheckFieldUpdate, Context{})
	verdicts{
		{`{"settings":{"data":{"a":"\u202e"}}}`, "/settings/data/a"}, {`{"documents":[{"id":"d","data":{"a":"\u202e"}}]}`, ""}, {`{"data":{"x":{"data":"\u202e"}}}`, ""},
	}.run(t, CheckPackageUpdate, Context{})
	verdicts{{`[{"id":"d","name":""}]`, "/0/name"}, {`[{"id":"d","name":"a/b"}]`, "/0/name"}, {`[{"id":"d","index":1}]`, ""}}.run(t, CheckList, Context{})
}

// A client may send back what the platform has.
func TestTexts_StoredMayBeSentBack(t *testing.T) {
	stored, err := ReadStored([]byte(`{"name":"Lease\u202e","roles":[{"id":"r","signers":[{"id":"s","firstName":"Bob\u202e","lastName":"B"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	verdicts{
		{`{"name":"Lease\u202e","description":"d"}`, ""}, {`{"name":"Lease\u202e\u202e"}`, "/name"},
		{`{"roles":[{"id":"r","signers":[{"id":"s","firstName":"Bob\u202e","lastName":"B"}]}]}`, ""},
		{`{"roles":[{"id":"r","signers":[{"id":"s","firstName":"Bob","lastName":"B\u202e"}]}]}`, "/roles/0/signers/0/lastName"},
	}.run(t, CheckPackageUpdate, Context{Package: stored})
}
