package signing_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// What was found in a file is told by its ids, in one object or in those around it, or by a
// name that no other has.
func TestFileChecks_ByIDOrName(t *testing.T) {
	bob := signing.Role{ID: "bob", Signers: []signing.Signer{{ID: "s1"}}}
	asked := signing.AttachmentRequest{ID: "passport", Name: "Passport"}
	file := signing.AttachedFile{ID: jsontext.Value("7"), Name: "scan.png"}
	for answer, want := range map[string]string{
		`[{"roleId":"bob","attachmentId":"passport","fileId":7,"extractionStatus":"COMPLETED","reasonCode":null}]`:                                        "COMPLETED ",
		`{"results":[{"attachmentId":"passport","files":[{"id":"7","extractionStatus":"FAILED","reasonCode":"UNREADABLE"}]}]}`:                            "FAILED UNREADABLE",
		`{"attachments":[{"id":"passport","files":[{"id":8,"extractionStatus":"FAILED"},{"id":7,"extractionStatus":"NOT_PERFORMED","reasonCode":"X"}]}]}`: "NOT_PERFORMED X",
		`[{"fileName":"scan.png","extractionStatus":"COMPLETED"},{"fileName":"other.png","extractionStatus":"FAILED"}]`:                                   "COMPLETED ",
		`[{"signerId":"s1","fileName":"scan.png","extractionStatus":"COMPLETED"},{"signerId":"s2","fileName":"scan.png","extractionStatus":"FAILED"}]`:    "COMPLETED ",
		`[{"fileName":"scan.png","extractionStatus":"COMPLETED"},{"fileName":"scan.png","extractionStatus":"FAILED"}]`:                                    "",
		`[{"attachmentId":"licence","fileId":7,"fileName":"scan.png","extractionStatus":"COMPLETED"}]`:                                                    "",
		`[{"roleId":"carol","attachmentId":"passport","fileId":7,"extractionStatus":"COMPLETED"}]`:                                                        "",
		`[]`: "", `{}`: "", `null`: "", `[1,"x",[{"extractionStatus":7}]]`: "",
	} {
		checks, err := signing.ReadFileChecks(jsontext.Value(answer))
		if err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		got := ""
		if check, ok := checks.Of(bob, asked, file); ok {
			got = check.Status + " " + check.Reason
		}
		if got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
	if _, err := signing.ReadFileChecks(jsontext.Value(`{`)); err == nil {
		t.Error("what is no JSON is read")
	}
}

// Checks stand in one order, however often they are read: live pages compare them.
func TestFileChecks_Order(t *testing.T) {
	const answer = `{"c":{"fileId":3,"extractionStatus":"FAILED"},"a":[{"fileId":1,"extractionStatus":"COMPLETED"}],"b":{"fileId":2,"extractionStatus":"NOT_PERFORMED"}}`
	first, err := signing.ReadFileChecks(jsontext.Value(answer))
	if err != nil || len(first) != 3 {
		t.Fatalf("%+v, %v", first, err)
	}
	for range 20 {
		if again, err := signing.ReadFileChecks(jsontext.Value(answer)); err != nil || !slices.Equal(again, first) {
			t.Fatalf("%+v, then %+v, %v", first, again, err)
		}
	}
}
