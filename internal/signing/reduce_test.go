package signing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// bobs is Bob, signer of role r2 in Alice's package: the document d1 is for her alone.
var bobs = signing.Viewer{
	Email: "bob@sandbox.example", Roles: []string{"r2"}, Signers: []string{"s2"},
	Documents: func(id string) bool { return id != "d1" },
}

// laden is a package with somebody else's data in every corner, all of it with the word
// secret.
const laden = `{
 "id":"p1=", "name":"A \u00e4", "status":"SENT", "type":"PACKAGE", "trashed":false, "due":null, "autocomplete":true,
 "emailMessage":"Please sign", "description":"", "language":"en", "created":"2026-01-01T00:00:00Z", "limits":{"roles":5},
 "data":{"origin":"secret", "countersign":{"owner":"secret@x"}},
 "conditions":[{"id":"c","condition":"document['d1'].field['f'].value == 'secret'"}], "alerts":["secret"],
 "signedDocumentDelivery":{"to":"secret@x"}, "tomorrow":"secret",
 "settings":{"ceremony":{"inPerson":false},"tomorrow":"secret"},
 "sender":{"id":"secret","email":"secret@x","phone":"secret","firstName":"Ada","lastName":"A","name":"Ada A","company":"secret","tomorrow":"secret"},
 "roles":[
  {"id":"r1","name":"First","type":"SIGNER","index":1,"reassign":false,"locked":false,"specialTypes":[],"data":{"a":"secret"},
   "emailMessage":{"content":"secret"},"attachmentRequirements":[{"files":["secret"]}],"verification":"secret",
   "signers":[{"id":"secret","email":"secret@x","firstName":"Eve","lastName":"E","name":"Eve E","title":"secret","phone":"secret",
    "group":{"email":"secret@x"},"delivery":{"email":"secret"},"auth":{"scheme":"secret","challenges":[]},"address":{"city":"secret"},
    "userCustomFields":[{"value":"secret"}],"knowledgeBasedAuthentication":"secret","notificationMethods":{"primary":["secret"]},
    "signature":"secret","external":"secret","data":"secret","signerVerificationToken":"secret","language":"secret","signerType":"secret"}]},
  {"id":"r2","name":"Second","type":"SIGNER","index":2,"data":"secret","emailMessage":{"content":"To Bob"},
   "attachmentRequirements":[{"name":"Passport"}],
   "signers":[{"id":"s2","email":"Bob@sandbox.example","firstName":"Bob","lastName":"B","name":"Bob B","phone":"+49301234567","group":{"id":"g","name":"G","members":["secret@x"],"email":"secret@x"},
    "auth":{"scheme":"CHALLENGE","challenges":[{"question":"secret","answer":"secret"}]},"external":{"id":"secret"},"data":"secret",
    "knowledgeBasedAuthentication":{"ssn":"secret"},"signerVerificationToken":"secret","notificationMethods":{"primary":["EMAIL"]},"title":null},
    {"id":"secret","email":"secret@x","firstName":"Max","lastName":"M"}]}],
 "documents":[
  {"id":"default-consent","name":"Consent","index":0,"data":{"esl_doc_accepted_by_signers":"secret"},"approvals":[],"fields":[],"pages":[{"id":"pg","index":0,"top":1.50,"secret":"secret"}]},
  {"id":"d1","name":"secret","approvals":[{"id":"a0","role":"r2","fields":[]}]},
  {"id":"d2","name":"Contract","size":12345678901234567890,"external":{"id":"secret"},"signerVerificationToken":"secret","signedHash":"h","data":"secret",
   "fields":[{"id":"f0","name":"QR","value":"x","data":"secret"}],
   "approvals":[{"id":"a1","role":"r1","name":"secret","fields":[{"id":"f1","value":"secret"}]},
    {"id":"a2","role":"r2","signed":null,"data":"secret","fields":[{"id":"f2","subtype":"FULLNAME","top":1e2,"value":null,"data":"secret"}]}]}],
 "messages":[
  {"status":"NEW","from":{"id":"secret","email":"secret@x","firstName":"Eve"},"to":[{"email":"secret@x"}],"content":"secret"},
  {"status":"NEW","from":{"id":"secret","email":"secret@x","firstName":"Ada"},"to":[{"email":"BOB@sandbox.example","id":"s2"},{"email":"secret@x","name":"Eve E"}],"created":"2026-01-01T00:00:00Z","content":"Hello Bob","documents":[{"id":"d1","name":"secret"},{"id":"d2","name":"Contract","data":"secret"}],"tomorrow":"secret"},
  {"status":"READ","from":null,"to":[{"id":"s2"}],"content":"By id"},
  {"status":"NEW","to":[],"content":"secret"}, {"content":"secret"}, "secret"]
}`

const ladenForBob = `{"id":"p1=","name":"A \u00e4","status":"SENT","type":"PACKAGE","trashed":false,"due":null,"autocomplete":true,` +
	`"emailMessage":"Please sign","description":"","language":"en","created":"2026-01-01T00:00:00Z","limits":{"roles":5},` +
	`"settings":{"ceremony":{"inPerson":false}},` +
	`"sender":{"firstName":"Ada","lastName":"A","name":"Ada A"},` +
	`"roles":[{"id":"r1","name":"First","type":"SIGNER","index":1,"reassign":false,"locked":false,"specialTypes":[],"signers":[{"firstName":"Eve","lastName":"E","name":"Eve E"}]},` +
	`{"id":"r2","name":"Second","type":"SIGNER","index":2,"emailMessage":{"content":"To Bob"},"attachmentRequirements":[{"name":"Passport"}],` +
	`"signers":[{"id":"s2","email":"Bob@sandbox.example","firstName":"Bob","lastName":"B","name":"Bob B","phone":"+49301234567","group":{"id":"g","name":"G"},` +
	`"auth":{"scheme":"CHALLENGE"},"notificationMethods":{"primary":["EMAIL"]},"title":null},{"firstName":"Max","lastName":"M"}]}],` +
	`"documents":[{"id":"default-consent","name":"Consent","index":0,"approvals":[],"fields":[],"pages":[{"id":"pg","index":0,"top":1.50}]},` +
	`{"id":"d2","name":"Contract","size":12345678901234567890,"signedHash":"h","fields":[{"id":"f0","name":"QR","value":"x"}],` +
	`"approvals":[{"id":"a2","role":"r2","signed":null,"fields":[{"id":"f2","subtype":"FULLNAME","top":1e2,"value":null}]}]}],` +
	`"messages":[{"status":"NEW","from":{"firstName":"Ada"},"to":[{"email":"BOB@sandbox.example","id":"s2"},{"name":"Eve E"}],"created":"2026-01-01T00:00:00Z","content":"Hello Bob","documents":[{"id":"d2","name":"Contract"}]},` +
	`{"status":"READ","from":null,"to":[{"id":"s2"}],"content":"By id"}]}`

func TestReduce_SignerSeesOnlyNames(t *testing.T) {
	got, err := signing.Reduce(jsontext.Value(laden), bobs)
	if err != nil || strings.Contains(string(got), "secret") {
		t.Fatalf("%v\n%s", err, got)
	}
	if diff := cmp.Diff(ladenForBob, string(got)); diff != "" {
		t.Error(diff)
	}
}

// A person whose address begins or ends alike, or who has none, is not Bob.
func TestViewer_SimilarAddressIsSomebodyElse(t *testing.T) {
	for _, email := range []string{"bob@sandbox.example.com", "xbob@sandbox.example", "", "bob"} {
		value := `{"id":"r","signers":[{"id":"x","email":"` + email + `","phone":"secret"}],"emailMessage":{"content":"secret"}}`
		got, err := signing.ReduceRole(jsontext.Value(value), bobs)
		if want := `{"id":"r","signers":[{}]}`; err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", email, got, err)
		}
	}
	without := signing.Viewer{Documents: func(string) bool { return true }}
	got, err := signing.ReduceRole(jsontext.Value(`{"id":"r","signers":[{"email":"","phone":"secret"},{"phone":"secret"}]}`), without)
	if err != nil || strings.Contains(string(got), "secret") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestReduce_RolesAndDocument(t *testing.T) {
	got, err := signing.ReduceRoles(jsontext.Value(`{"count":1,"tomorrow":"secret","results":[{"id":"r1","data":null,"signers":[{"email":"secret@x"}]}]}`), bobs)
	if want := `{"count":1,"results":[{"id":"r1","signers":[{}]}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	got, err = signing.ReduceDocument(jsontext.Value(`{"id":"d2","data":{},"approvals":[{"role":"r1"},{"role":"r2"}]}`), bobs)
	if want := `{"id":"d2","approvals":[{"role":"r2"}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

func TestReduce_UnreadableNotShown(t *testing.T) {
	for _, value := range []string{
		``, `{`, `[]`, `"secret"`, `null`, `{"id":"p","id":"q"}`, `{"id":"p"} {}`, `{"id":"p"`, `{"roles":[{"id":"a","id":"b"}]}`, "{\"name\":\"\xff\"}",
	} {
		if got, err := signing.Reduce(jsontext.Value(value), bobs); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %s, %v", value, got, err)
		}
	}
	// A part of an unexpected type is left out.
	got, err := signing.Reduce(jsontext.Value(`{"id":"p","roles":{"secret":1},"documents":"secret","sender":["secret"],"messages":{"secret":1},"settings":"secret"}`), bobs)
	if err != nil || string(got) != `{"id":"p"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzReduce(f *testing.F) {
	f.Add(laden)
	f.Add(`{"roles":[{"signers":[{"email":"bob@sandbox.example"}]}]}`)
	f.Fuzz(func(t *testing.T, value string) {
		got, err := signing.Reduce(jsontext.Value(value), bobs)
		if err != nil {
			return
		}
		again, err := signing.Reduce(got, bobs)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%s\nbecomes, reduced again,\n%s, %v", got, again, err)
		}
	})
}

func TestVisibility_Sees(t *testing.T) {
	v := signing.Visibility{Configurations: []signing.VisibleDocument{{Document: "d1", Roles: []string{"r1"}}, {Document: "d2"}}}
	for document, want := range map[string][]string{"d1": {"r1"}, "d2": nil, "d3": {"r1", "r2"}} {
		for _, role := range []string{"r1", "r2"} {
			if got := v.Sees(document, []string{role}); got != slices.Contains(want, role) {
				t.Errorf("%s by %s: %t", document, role, got)
			}
		}
	}
}
