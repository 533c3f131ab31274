package fault_test

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/i18n"
)

var update = flag.Bool("update", false, "write docs/errors.md")

const document = "../../docs/errors.md"

// TestDocument_MatchesCatalogue compares docs/errors.md with the catalogue.
func TestDocument_MatchesCatalogue(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	want := written(bundle.For("en"))
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/errors.md is not the catalogue's (-want +got); go test ./internal/fault -update writes it:\n%s", diff)
	}
}

// chapters are the groups of keys, in the order of the document.
var chapters = []struct{ group, title, text string }{
	{"request", "Requests", "Errors in the request itself."},
	{"document", "Documents", "Pictures and texts of document pages."},
	{"session", "Sessions", "The session and its permissions."},
	{"sign-in", "Sign-in", "`sign-in.refused` is the response to every refused sign-in, so that it does not reveal which accounts exist, or are locked or disabled.\n" +
		"The log has the exact key. `COUNTERSIGN_REVEAL_ACCOUNT_STATE=true` returns it to all clients. A right but expired password has the texts of\n" +
		"`account.password-expired` and the action `change-password`, unless `COUNTERSIGN_REVEAL_PASSWORD_EXPIRED` is off."},
	{"ceremony", "FIDO ceremonies", "`ceremony.refused` means that the platform refused the authenticator's response. If the platform gives a reason, the response has the texts and the\n" +
		"action of that reason: `ceremony.not-started`, or a row of *WebAuthn* or *UAF status codes*."},
	{"authenticator", "Authenticators", "The user's list of authenticators."},
	{"account", "Accounts", "The state of an account. Signed-out clients get `sign-in.refused` or the row of the call instead, and requests for a challenge or a push get a normal\n" +
		"response, unless `COUNTERSIGN_REVEAL_ACCOUNT_STATE` is on. Signed-in users get these keys for their own account. The log always has them."},
	{"authentication", "Authentication", "Failures of a proof of identity or a confirmation on a device."},
	{"transaction", "Transactions", "The platform refused without a known reason."},
	{"activation", "Activation", "The platform refused without a known reason."},
	{"orchestration", "Orchestration", "Device activation and requests to devices: part 7.2 of the specification. A cause that the user can remove by starting again is 409. Up to 22.R3,\n" +
		"`-8006` and `-8000` stand for several causes; their texts fit all of them. `command` is the orchestration service's unchanged error command, for\n" +
		"the SDK.\n\n" +
		"Signed-out clients get `activation.refused` instead of each 409, because these reveal something about an account. `command` is returned all the same."},
	{"webauthn", "WebAuthn", "Reasons of `ceremony.refused`. The platform's texts for them are not public; those below are an assumption."},
	{"uaf", "UAF status codes", "Reasons of `ceremony.refused` or `transaction.refused`. `uafStatusCode` has the number."},
	{"signing", "Electronic signing", "Below `/api`. The response also has the members of the platform's errors: `code` (the status), `messageKey`, `message` and `name`."},
	{"verification", "Identity verification", "Below `/api`, with the same members."},
	{"platform", "Platform", "`platform.refused` means that the platform refused without a known reason."},
	{"server", "Countersign", "Failures of Countersign or its Redis."},
}

const head = `# Errors

Every error is a row of one catalogue. ` + "`go test ./internal/fault -update`" + ` writes this page from it.
[Errors and retries](integrate/errors-and-retries.md) explains how clients handle the common ones.

- JSON responses are ` + "`application/problem+json`" + ` (RFC 9457) with ` + "`key`, `retryable` and `action`" + `. The key is stable. ` + "`type`" + ` links to its page,
  ` + "`/errors/{key}`" + `. Title and detail are in the user's language: English, French, German, Spanish or Japanese.
- **Retry**: the same request may succeed later, after ` + "`Retry-After`" + ` seconds.
- **Action** is the next step that a client can offer: ` + "`retry`" + `; ` + "`restart`" + ` the ceremony, activation or transaction; ` + "`sign-in`" + ` (again); ` + "`confirm`" + ` and repeat;
  request a ` + "`new-activation-password`" + `; use or register an ` + "`other-authenticator`" + `; ` + "`change-password`" + `; ` + "`contact`" + ` the administrator.
- **Log** is the severity. An ` + "`error`" + ` needs attention.
- **The platform says** lists the platform's errors that become this row: a complete text, compared without white space, quotes, capitals and
  final full stop; or ` + "`errorCode`, `errorCategory` or `uafStatusCode`" + `. They apply in the named scenarios, and for refusals (4xx) also in those
  after *refusals in*. In other scenarios the status decides, and a failure is ` + "`platform.failed`" + `. The platform's texts are never shown. An
  unknown refusal becomes the row of the call (` + "`sign-in.refused`, `ceremony.refused`, `activation.refused`, `transaction.refused`, `platform.refused`" + `),
  is counted, and is logged with the platform's ` + "`log-correlation-id`" + `.
`

func written(words *i18n.Printer) string {
	var b strings.Builder
	b.WriteString(head)
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.title, c.text)
		b.WriteString("| key | status | retry | action | log | text | the platform says |\n|---|---|---|---|---|---|---|\n")
		for _, row := range fault.Rows() {
			if group, _, _ := strings.Cut(string(row.Key), "."); group == c.group {
				b.WriteString(line(row, words))
			}
		}
	}
	return b.String()
}

func line(row fault.Row, words *i18n.Printer) string {
	status, retry := fmt.Sprint(row.Status), ""
	if row.DetailOnly {
		status = "that of the call"
	}
	if row.Retryable {
		retry = "yes"
	}
	read := fmt.Sprintf("**%s** %s *%s*", words.T(row.TitleID()), words.T(row.MessageID()), words.T(row.NextID()))
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s | %s |\n", row.Key, status, retry, row.Action,
		strings.ToLower(levels[row.Level]), read, said(row))
}

var levels = map[slog.Level]string{slog.LevelInfo: "info", slog.LevelWarn: "warning", slog.LevelError: "error"}

func said(row fault.Row) string {
	said := fault.Sources(row.Key)
	if len(row.Scenarios) > 0 {
		said = append(said, "*"+named(row.Scenarios)+"*")
	}
	if len(row.RefusedIn) > 0 {
		said = append(said, "*refusals in: "+named(row.RefusedIn)+"*")
	}
	return strings.Join(said, "<br>")
}

func named(scenarios []fault.Scenario) string {
	names := make([]string, len(scenarios))
	for i, scenario := range scenarios {
		names[i] = string(scenario)
	}
	return strings.Join(names, ", ")
}

var (
	problemRow = regexp.MustCompile("(?m)^\\| (`[a-z-]+\\.[a-z-]+`(?:, `[a-z-]+\\.[a-z-]+`)*) \\| (\\d{3}) \\|")
	problemKey = regexp.MustCompile("`([^`]+)`")
)

// The errors that the guide names are in the catalogue, with the guide's status.
func TestGuide_ErrorsInCatalogue(t *testing.T) {
	guide, err := os.ReadFile("../../docs/integrate/errors-and-retries.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range problemRow.FindAllSubmatch(guide, -1) {
		for _, key := range problemKey.FindAllSubmatch(row[1], -1) {
			found++
			known := fault.Known(fault.Key(key[1]))
			if status := fmt.Sprint(fault.Lookup(fault.Key(key[1])).Status); !known || status != string(row[2]) {
				t.Errorf("%s is in the catalogue: %t, with %s, not %s", key[1], known, status, row[2])
			}
		}
	}
	if found < 11 {
		t.Errorf("only %d errors were found", found)
	}
}

func TestDocument_ChapterPerGroup(t *testing.T) {
	rows := map[string]int{}
	for _, row := range fault.Rows() {
		group, _, _ := strings.Cut(string(row.Key), ".")
		rows[group]++
	}
	for _, c := range chapters {
		if rows[c.group] == 0 {
			t.Errorf("chapter %s has no rows", c.group)
		}
		delete(rows, c.group)
	}
	for group := range rows {
		t.Errorf("%s has no chapter", group)
	}
}
