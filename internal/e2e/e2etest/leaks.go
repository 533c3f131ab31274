package e2etest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"
)

// internals are words of the program's code, its libraries and its neighbours, which no
// answer may contain.
var internals = []string{
	"countersign/web", "countersign/handlers", "countersign/session", "countersign/internal", "countersign/cmd", "github.com/", "goroutine", ".go:", "runtime error",
	"nil pointer", "panic", "dial tcp", "read tcp", "write tcp", "connection refused", "connection reset", "broken pipe", "unexpected EOF", "i/o timeout", "context canceled",
	"context deadline", "circuit", "redis", "Redis", "NOSCRIPT", "EVALSHA", "jsontext", "unmarshal", "invalid character", "strconv", "net/http", " http: ", "\"http: ", "tls: ",
	"x509: ", "gorilla", "template: ", "mime: ", "%!", "<nil>", "0xc000", "java.", "stack trace", "Traceback", "jdbc:", "/_manage", "fido-registrations", "127.0.0.1:",
}

// Guarded is an App with the secrets that no answer may contain.
type Guarded struct {
	*App
	Secrets []string
}

// APIKey is the credential of its sandbox.
const APIKey = "platform-key-5f1c0de5"

// BootGuarded is BootTo with secrets that the test knows.
func BootGuarded(t testing.TB, log io.Writer, settings ...string) Guarded {
	t.Helper()
	sessionKey, decoyKey := bytes.Repeat([]byte{0xa7, 0x3c}, 16), bytes.Repeat([]byte{0x5e, 0xd1}, 16)
	app := BootTo(t, log, append([]string{
		"SANDBOX_API_KEY=" + APIKey, "SESSION_KEYS=" + hex.EncodeToString(sessionKey), "DECOY_KEY=" + hex.EncodeToString(decoyKey),
	}, settings...)...)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	g := Guarded{app, []string{APIKey, strings.TrimPrefix(app.SandboxURL(), "http://"), strings.TrimPrefix(app.AdminURL(), "http://"), here}}
	for _, key := range [][]byte{sessionKey, decoyKey} {
		g.Secrets = append(g.Secrets, string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key)[:40], base64.URLEncoding.EncodeToString(key)[:40])
	}
	return g
}

// TellsNothing checks that an answer, with its headers, contains neither internals nor
// secrets.
func (g Guarded) TellsNothing(t testing.TB, what string, r Reply) {
	t.Helper()
	var all bytes.Buffer
	_ = r.Header.Write(&all)
	all.Write(r.Body)
	text := strings.ReplaceAll(all.String(), g.URL(), "")
	for _, word := range append(g.Secrets, internals...) {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("%s: the answer %d tells of %q: %.300s", what, r.Status, word, text[max(0, at-100):])
		}
	}
}
