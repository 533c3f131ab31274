package compose_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

type members = map[string]any

const alice, bob, carol = "alice@sandbox", "bob@sandbox", "carol@sandbox"

// lease is a draft that people sign in any order, whose last names are Müller.
func lease(emails ...string) members {
	p := e2etest.Lease("Lease", "DRAFT", emails...)
	for _, role := range p["roles"].([]any) {
		delete(role.(members), "index")
		signer := role.(members)["signers"].([]any)[0].(members)
		signer["id"], signer["lastName"] = role.(members)["id"], "Müller"
	}
	return p
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

func openSite(t *testing.T, settings ...string) *site {
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

// invitation returns the address in the platform's own invitation.
func (s *site) invitation(to string) string {
	s.t.Helper()
	for _, m := range slices.Backward(e2etest.Outbox(s.t, s.app, to)) {
		if len(m.Links) > 0 {
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
