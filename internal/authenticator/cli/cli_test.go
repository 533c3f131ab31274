package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/people"
)

// Against a fresh Countersign everything works without settings, and with only those
// flags that the test itself needs.
func TestCommands_FreshServerWithoutSettings(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	s.authenticator("register").exits(0, "names the facet "+app.URL(), "Registered, UAF status 1200", `"Countersign demo authenticator"`, "Signed out.")
	s.authenticator("sign-in").exits(0, "Signed in as alice@sandbox (Alice Archer), by uaf.", "Signed out.")
	s.authenticator("confirm", "--text", "Pay 5 EUR").exits(0, "shows: Pay 5 EUR", "The transaction is accepted, UAF status 1200.")
	s.authenticator("register", "--protocol", "FIDO2").exits(0, `"Passkey"`)
	s.authenticator("sign-in").exits(0, "by fido2") // the newest key
	s.authenticator("sign-in", "--protocol", "UAF11").exits(0, "by uaf")

	keys := s.keys()
	if len(keys) != 2 {
		t.Fatalf("keys %q", keys)
	}
	s.authenticator("remove").exits(1, "2 keys may be meant")
	s.authenticator("remove", "--key", keys[0]).exits(0, "Removed the registration of key "+keys[0], "deregistration request", "Forgot 1 key")
	s.authenticator("remove").exits(0, "Removed the registration of key "+keys[1], "Forgot 1 key")
	s.authenticator("sign-in").exits(1, "no key of alice@sandbox")
	if left := s.keys(); len(left) != 0 {
		t.Errorf("keys %q are left", left)
	}
	list, _ := e2etest.Program(t, app).SignedIn("alice@sandbox").Send("GET", "/users/me/authenticators", nil).Member("authenticators").([]any)
	if len(list) != 0 {
		t.Errorf("registrations %v are left", list)
	}
}

// Every command ends its session.
func TestCommands_EndTheirSession(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	s.authenticator("register").exits(0)
	s.authenticator("sign-in").exits(0)
	s.authenticator("confirm").exits(0)
	s.authenticator("register", "--attestation", "full").exits(1, "the server does not accept "+string(softuaf.AttestedAAID), "Signed out.")
	list, _ := e2etest.Program(t, app).SignedIn("alice@sandbox").Send("GET", "/account/sessions", nil).Member("sessions").([]any)
	if len(list) != 1 {
		t.Errorf("%d sessions, not only the one that asks", len(list))
	}
}

func TestRegister_EveryAlgorithm(t *testing.T) {
	shelf := newShell(t, "")
	metadata := shelf.authenticator("metadata").exits(0).out
	app := e2etest.Boot(t, "SANDBOX_UAF_METADATA="+metadata)
	for _, algorithm := range softuaf.Algorithms() {
		format := softuaf.KeyFormatName(softuaf.DefaultKeyFormat(algorithm) + 1)
		for _, flags := range [][]string{{}, {"--key-format", format}, {"--attestation", "full"}} {
			t.Run(fmt.Sprint(softuaf.AlgorithmName(algorithm), flags), func(t *testing.T) {
				s := newShell(t, app.URL())
				s.store = shelf.store // whose attestation root the sandbox knows
				s.authenticator("register", append(flags, "--algorithm", softuaf.AlgorithmName(algorithm))...).exits(0)
				s.authenticator("sign-in").exits(0, "by uaf")
				s.authenticator("remove", "--key", s.keys()[0]).exits(0)
			})
		}
	}
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for _, attestation := range []authenticator.Attestation{authenticator.None, authenticator.Packed, authenticator.PackedBasic} {
			t.Run(fmt.Sprint(algorithm, attestation), func(t *testing.T) {
				s := newShell(t, app.URL())
				s.authenticator("register", "--protocol", "FIDO2", "--algorithm", string(algorithm), "--attestation", string(attestation)).exits(0)
				s.authenticator("sign-in").exits(0, "by fido2")
			})
		}
	}
}

// The sandbox's metadata of the demo authenticator equals the authenticator's own.
func TestDemoAuthenticator_SameMetadataInSandbox(t *testing.T) {
	if softuaf.DemoAAID != identity.DemoAAID {
		t.Errorf("%s here, %s in the sandbox", softuaf.DemoAAID, identity.DemoAAID)
	}
	var printed, known []any
	text := newShell(t, "").authenticator("metadata").exits(0).out
	if err := json.Unmarshal([]byte(text), &printed); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../sandbox/identity/demo_metadata.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, &known); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(known, printed[:1]); diff != "" || len(printed) != 2 {
		t.Errorf("%d statements; the sandbox's (-) and the authenticator's (+): %s", len(printed), diff)
	}
}

var anyToken = regexp.MustCompile(`Bearer [A-Za-z0-9_-]|"sessionToken": "[A-Za-z0-9_-]`)

// -v shows requests and answers, unfolded, but never secrets.
func TestVerbose_ShowsNoSecrets(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	registered := s.authenticator("register", "-v").exits(0,
		"> POST /users/alice@sandbox/login", `>     "passKey": "…"`, `"sessionToken": "…"`, "> Authorization: Bearer …", "> Countersign-Session: bearer",
		`<       "username": "alice@sandbox"`, `"facetID": "`+app.URL()+`"`, "< 200, request ", "< 204, request ")
	signedIn := s.authenticator("sign-in", "-v").exits(0, `"authenticationRequest": [`, `"methods": [`)
	for _, o := range []output{registered, signedIn} {
		if found := anyToken.FindString(o.out); found != "" || strings.Contains(o.out, people.DemoPassword) {
			t.Errorf("shown: %s", found)
		}
	}
	data, err := os.ReadFile(s.store)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "oken") {
		t.Errorf("a token was kept: %s", data)
	}
	nobody := newShell(t, "http://localhost:1").authenticator("register", "-v").exits(1, "< no answer", "connection refused")
	if strings.Contains(nobody.out+nobody.errs, people.DemoPassword) {
		t.Error("the password is in the error")
	}
}

func TestPassword_FileOrEnvironment(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "PUT", "/users/alice@sandbox", map[string]any{"passKey": "Another-1!"})
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("Another-1!\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, app.URL())
	s.authenticator("register").exits(1, "sign-in.refused", "request ")
	s.authenticator("register", "--password-file", file).exits(0)
	s.authenticator("register", "--password-file", file+".not").exits(1, "no such file")
	s.environ = []string{"AUTHENTICATOR_PASSWORD=Another-1!"}
	s.authenticator("register").exits(0)
	s.environ = nil
	s.authenticator("register", "--user", "alice@elsewhere").exits(2, "the password of alice@elsewhere is needed")
	elsewhere := newShell(t, "https://countersign.example")
	elsewhere.authenticator("register").exits(2, "the password of alice@sandbox is needed")
}

func TestCommands_InvalidArguments(t *testing.T) {
	s := newShell(t, "http://localhost:1")
	for _, args := range [][]string{
		{"register", "--bogus"}, {"register", "surplus"}, {"register", "--protocol", "UAF10"}, {"register", "--algorithm", "ES256"},
		{"register", "--key-format", "raw"}, {"register", "--attestation", "packed"}, {"register", "--protocol", "FIDO2", "--algorithm", "secp256r1_ecdsa_sha256_raw"},
		{"register", "--protocol", "FIDO2", "--attestation", "full"}, {"register", "--protocol", "FIDO2", "--key-format", "ecc_x962_raw"},
		{"register", "--url", "http://countersign.example"}, {"confirm", "--text", ""}, {"confirm", "--text", strings.Repeat("x", 201)},
		{"confirm", "--text", "€"}, {"confirm", "--protocol", "FIDO2"}, {"dance"},
	} {
		s.authenticator(args[0], args[1:]...).exits(2)
	}
	s.run("authenticator").exits(0, "countersign authenticator register")
	s.run("authenticator", "help").exits(0, "countersign authenticator answer")
	s.run("authenticator", "register", "-h").exits(0, "-password-file", "secp256k1_ecdsa_sha256_raw")
	s.run("help").exits(0, "countersign authenticator")
}

func TestSignIn_ServerForgotKeys(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	s.authenticator("register").exits(0)
	s.authenticator("register", "--protocol", "FIDO2").exits(0)
	e2etest.Manage(t, app, "POST", "/reset", nil)
	s.authenticator("sign-in").exits(1, "the server asks for none of the keys")
	s.authenticator("sign-in", "--protocol", "UAF11").exits(1, "the server asks for none of the keys")
	s.authenticator("remove", "--protocol", "UAF11").exits(1, "authenticator.unknown", "--forget")
	s.authenticator("remove", "--protocol", "UAF11", "--forget").exits(0, "Forgot 1 key")
	s.authenticator("remove", "--forget").exits(0, "Forgot 1 key")
}

// A client whose facet is not in the list stops where a genuine one would.
func TestClient_UnlistedFacet(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	s.authenticator("register").exits(0)
	e2etest.Untouched(t, app, func() {
		s.authenticator("register", "--origin", "android:apk-key-hash:x").exits(1, "does not name the facet android:apk-key-hash:x")
		s.authenticator("sign-in", "--origin", "android:apk-key-hash:x").exits(1, "does not name the facet android:apk-key-hash:x")
	}, "registerFidoDevice")
	// A list on another server cannot be fetched, and the server has to judge.
	far := e2etest.Boot(t, "SANDBOX_UAF_APP_ID=https://bank.example/facets")
	newShell(t, far.URL()).authenticator("register").exits(0, "its facets are not looked up")
}

func TestKeyFile_ModeAndCounter(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	s.authenticator("list").exits(0, "KEY")
	s.authenticator("register").exits(0)
	info, err := os.Stat(s.store)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v (%v)", info.Mode(), err)
	}
	// Each signature is counted in the file before it is sent.
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 500})
	s.authenticator("sign-in").exits(1)
	s.authenticator("sign-in").exits(0)
	var kept struct {
		Keys []struct{ UAF softuaf.StoredAuthenticator }
	}
	data, err := os.ReadFile(s.store)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &kept); err != nil || kept.Keys[0].UAF.SignCounter != 2 {
		t.Errorf("%s (%v)", data, err)
	}
	for text, said := range map[string]string{
		"no JSON": "is not a key file", `{"version":2}`: "of version 2", `{"version":1,"keys":[{"user":"alice@sandbox","url":"` + app.URL() + `","protocol":"UAF11"}]}`: "",
	} {
		if err := os.WriteFile(s.store, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.authenticator("sign-in").exits(1, said)
	}
	if err := os.WriteFile(s.store, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.store, 0o644); err != nil {
		t.Fatal(err)
	}
	s.authenticator("sign-in").exits(1, "can be read by others")
}

// answer runs the authenticator without the app: from an answer it makes the body of the
// next call.
func TestAnswer_FromFiles(t *testing.T) {
	app := e2etest.Boot(t)
	s := newShell(t, app.URL())
	folder := t.TempDir()
	asked, answered := filepath.Join(folder, "asked.json"), filepath.Join(folder, "answered.json")
	answer := func(r e2etest.Reply, flags ...string) string {
		t.Helper()
		if err := os.WriteFile(asked, r.Body, 0o600); err != nil {
			t.Fatal(err)
		}
		s.authenticator("answer", append(flags, "--in", asked, "--out", answered)...).exits(0)
		body, err := os.ReadFile(answered)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	for _, protocol := range []string{"FIDO2", "UAF11"} {
		r := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": protocol}).Want(200)
		c.Send("POST", "/users/me/register-fido-device", answer(r)).Want(200)
		r = c.Send("POST", "/users/me/generate-fido-authentication-request", map[string]any{"fidoProtocol": protocol}).Want(200)
		c.Carry(c.Send("POST", "/users/me/login", answer(r)).Want(200))
	}
	shown := c.Send("POST", "/users/me/generate-fido-authentication-request", map[string]any{"fidoProtocol": "UAF11", "authenticationMessage": "Pay"}).Want(200)
	c.Send("POST", "/users/me/transactions/validate", answer(shown)).Want(200)

	printed := s.authenticator("answer", "--in", asked).exits(0)
	if !json.Valid([]byte(printed.out)) {
		t.Errorf("no body alone: %s", printed.out)
	}
	for text, said := range map[string]string{"": "cannot be read", "{}": "neither a registrationRequest nor", `{"registrationRequest":"x"}`: "", `{"authenticationRequest":"[]"}`: ""} {
		if err := os.WriteFile(asked, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.authenticator("answer", "--in", asked).exits(1, said)
	}
	s.authenticator("answer", "--in", asked+".not").exits(1, "no such file")
}
