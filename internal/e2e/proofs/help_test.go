// Package proofs_test tries what packages ask of their signers before the signing page opens,
// and what is kept of it, with the whole program.
package proofs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

type members = map[string]any

const (
	alice, bob, carol = "alice@sandbox", "bob@sandbox", "carol@sandbox"
	password          = `{"credentials":{"passKey":"Sandbox-1!"}}`
)

// blank is a document of one empty page.
const blank = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// lease returns a package that people sign in any order, whose names are those of their
// addresses and "Signer".
func lease(emails ...string) members {
	roles, approvals := []any{}, []any{}
	for i, email := range emails {
		id, _, _ := strings.Cut(email, "@")
		roles = append(roles, members{"id": id, "signers": []any{members{"id": id, "email": email, "firstName": strings.ToUpper(id[:1]) + id[1:], "lastName": "Müller"}}})
		approvals = append(approvals, members{"role": id, "fields": []any{members{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100 * (i + 1), "left": 72, "width": 200, "height": 40}}})
	}
	return members{"name": "Lease", "status": "DRAFT", "roles": roles, "documents": []any{
		members{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(blank)), "approvals": approvals},
	}}
}

// site is Countersign with alice, who owns packages, and bob, who signs them.
type site struct {
	t     *testing.T
	app   *e2etest.App
	clock *e2etest.Clock
	trail string // the file of the audit trail
	owner *e2etest.Client
	bob   *e2etest.Client
	key   *authenticator.FIDO2 // bob's
}

func open(t *testing.T, settings ...string) *site {
	t.Helper()
	s := &site{t: t, trail: filepath.Join(t.TempDir(), "trail")}
	s.app, s.clock = e2etest.BootWithClock(t, append(settings, "AUDIT_LOG="+s.trail, "RATE_LOOKUP=off", "RATE_VERIFICATION=off")...)
	s.owner, s.bob = e2etest.Program(t, s.app).SignedIn(alice), e2etest.Program(t, s.app).SignedIn(bob)
	s.key = e2etest.NewPasskey(s.app)
	s.bob.Register(s.key)
	return s
}

// send makes a package that asks of bob what asked says, sends it, and returns its id.
func (s *site) send(asked members, others ...string) string {
	s.t.Helper()
	id := s.owner.Send("POST", "/api/packages", lease(append([]string{"bob@sandbox.example"}, others...)...)).Want(http.StatusOK).Text("id")
	if asked != nil {
		s.ask(id, asked).Want(http.StatusOK)
	}
	s.owner.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
	return id
}

func (s *site) ask(id string, asked members) e2etest.Reply {
	s.t.Helper()
	return s.owner.Send("PUT", "/api/packages/"+id+"/roles/bob/proofs", asked)
}

// token asks for a token of bob's that counts once.
func (s *site) token(id string) e2etest.Reply {
	s.t.Helper()
	return s.bob.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": id, "signerId": "bob"})
}

// passkey signs bob in by his passkey, in the same session.
func (s *site) passkey() { s.t.Helper(); s.bob.Passkey(bob, s.key) }

var (
	aPasskey   = members{"passkey": members{}}
	anIdentity = members{"identity": members{}}
)

// missing is one of a problem's proofs.
type missing struct {
	Kind, Reason string
	Met          bool
	MaxAge       int
}

// lacks checks that an answer refuses for the want of proofs, and returns them.
func lacks(r e2etest.Reply, action string) []missing {
	r.T.Helper()
	r.Refused(http.StatusForbidden, "signing.proof").Action(action)
	var body struct{ Proofs []missing }
	if err := json.Unmarshal(r.Body, &body); err != nil {
		r.T.Fatal(err)
	}
	return body.Proofs
}

// role is what a package's proofs say of a role.
type role struct {
	Role, State string
	SignedAt    *string
	Asked       map[string]*struct{ MaxAge int }
	Kept        []kept
}

type kept struct {
	Role, Signer, At string
	Passkey          *keptPasskey
	Identity         *struct{ Transaction, Completed, Name string }
	Documents        []struct{ ID, SHA256 string }
	DocumentsHash    string
}

type keptPasskey struct {
	Protocol, At, Ceremony string
	Provider, AAGUID, AAID *string
	Kind                   *string
}

// proofs returns what the signature of bob stands on.
func (s *site) proofs(id string) role {
	s.t.Helper()
	var body struct{ Roles []role }
	r := s.owner.Send("GET", "/api/packages/"+id+"/proofs", nil).Want(http.StatusOK)
	if err := json.Unmarshal(r.Body, &body); err != nil {
		s.t.Fatal(err)
	}
	for _, one := range body.Roles {
		if one.Role == "bob" {
			return one
		}
	}
	s.t.Fatalf("bob is not in %s", r.Body)
	return role{}
}

// events returns the events of a kind in the audit trail, with their proofs.
func (s *site) events(kind string) (found []string) {
	s.t.Helper()
	text, err := os.ReadFile(s.trail)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"event":"`+kind+`"`) {
			found = append(found, line)
		}
	}
	return found
}

// verify starts a check of bob's own, and makes it what changed says.
func (s *site) verify(changed members) string {
	s.t.Helper()
	id := s.bob.Send("PUT", "/api/transaction?for=self", members{"users": []any{members{"first_name": "Bob", "last_name": "Müller"}}}).Want(http.StatusOK).Text("id")
	if changed != nil {
		e2etest.Manage(s.t, s.app, "POST", "/transactions/"+id, changed)
	}
	return id
}

// fails makes the next calls of an operation fail.
func (s *site) fails(operation string, status int) {
	s.t.Helper()
	e2etest.Manage(s.t, s.app, "POST", "/faults", members{"operation": operation, "status": status, "times": 0})
}

func (s *site) heal() { s.t.Helper(); e2etest.Manage(s.t, s.app, "DELETE", "/faults", nil) }

// signAt signs everything on the platform's page at an address.
func (s *site) signAt(address string) {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	signer := &http.Client{Jar: jar}
	response, err := signer.Get(address)
	for _, action := range []string{"accept", "sign"} {
		if err != nil {
			s.t.Fatal(err)
		}
		response.Body.Close()
		response, err = signer.PostForm(response.Request.URL.String(), url.Values{"action": {action}})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("signing is answered %d", response.StatusCode)
	}
}

// invitation returns the address in the platform's own invitation.
func (s *site) invitation(to string) string {
	s.t.Helper()
	var box struct {
		Messages []struct {
			To    string
			Links []string
		}
	}
	if err := json.Unmarshal(e2etest.Manage(s.t, s.app, "GET", "/outbox", nil).Body, &box); err != nil {
		s.t.Fatal(err)
	}
	for _, m := range slices.Backward(box.Messages) {
		if m.To == to && len(m.Links) > 0 {
			return m.Links[0]
		}
	}
	s.t.Fatalf("nobody wrote to %s", to)
	return ""
}

func sum(content []byte) string {
	hash := sha256.Sum256(content)
	return hex.EncodeToString(hash[:])
}

// platformData returns a package's data as the platform has them.
func platformData(s *site, id string) any {
	s.t.Helper()
	response, err := http.Get(s.app.SandboxURL() + "/api/packages/" + id)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var pkg struct{ Data any }
	if err := json.NewDecoder(response.Body).Decode(&pkg); err != nil {
		s.t.Fatal(err)
	}
	return pkg.Data
}

// putPlatform changes a package at the platform, past Countersign.
func putPlatform(s *site, id string, change any) {
	s.t.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPut, s.app.SandboxURL()+"/api/packages/"+id, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		s.t.Fatalf("the platform answers %d", response.StatusCode)
	}
}

// multipartForm sends a page's form with a place for files.
func multipartForm(c *e2etest.Client, path string, fields ...string) e2etest.Reply {
	c.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.WriteField("shown_to", c.ShownTo())
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	_ = w.Close()
	return c.Send("POST", path, body.String(), "Content-Type", w.FormDataContentType(), "Accept", "text/html")
}
