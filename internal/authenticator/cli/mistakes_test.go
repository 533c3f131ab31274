package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A mistake in the command line is reported before anything is sent.
func TestCommands_MistakesReportedBeforeSending(t *testing.T) {
	s := newShell(t, "http://localhost:1")
	for line, said := range map[string]string{
		"register --url=":  `"" is not an address`,
		"sign-in --url=":   `"" is not an address`,
		"answer --url=":    `"" is not an address`,
		"register --user=": "--user", "sign-in --user=alice": "userID@domain", "remove --user=a@b@c": "--user",
		"register --algorithm=rsassa_pss_sha256_raw --key-format=ecc_x962_raw":      "does not go with",
		"register --algorithm=secp256k1_ecdsa_sha256_der --key-format=rsa_2048_der": "does not go with",
		"register --algorithm=ML-DSA-44":                                            "add --protocol FIDO2",
		"register --password-file=-":                                                "the password is empty",
	} {
		words := strings.Fields(line)
		s.authenticator(words[0], words[1:]...).exits(2, said)
	}
	s.authenticator("sign-in", "--key", "zz").exits(1, "key zz of alice@sandbox", "list")
	s.run("authenticator", "help", "register").exits(0, "-password-file")
	s.run("authenticator", "help", "dance").exits(2, `unknown command "dance"`)
}

// Without a writable key file nothing is registered, because a key that is not stored
// would leave a useless registration.
func TestRegister_KeyFileNotWritable(t *testing.T) {
	app := e2etest.Boot(t)
	folder := t.TempDir()
	occupied := filepath.Join(folder, "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, app.URL())
	e2etest.Untouched(t, app, func() {
		s.store = filepath.Join(occupied, "keys.json")
		s.authenticator("register").exits(1, occupied)
		s.store = folder
		s.authenticator("register").exits(1, "is not a regular file")
	}, "login", "registerFidoDevice")
}

// answer prints the error if its input is a problem instead of a request.
func TestAnswer_ProblemAsInput(t *testing.T) {
	app := e2etest.Boot(t)
	refusal := filepath.Join(t.TempDir(), "asked.json")
	r := e2etest.Program(t, app).Send("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"UAF11"}`)
	if err := os.WriteFile(refusal, r.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	newShell(t, app.URL()).authenticator("answer", "--in", refusal).exits(1, "session.required")
}
