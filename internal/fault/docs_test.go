package fault_test

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/i18n"
)

var update = flag.Bool("update", false, "write docs/errors.md")

const document = "../../docs/errors.md"

// TestTheDocumentIsTheCatalogue compares docs/errors.md with the catalogue.
func TestTheDocumentIsTheCatalogue(t *testing.T) {
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
	{"request", "Requests", "What is wrong with the request itself."},
	{"document", "Documents", "Pages of documents, as pictures and as text."},
	{"session", "Sessions", "Who is signed in, and what they may do."},
	{"sign-in", "Signing in", "`sign-in.refused` is the one answer to whatever keeps somebody from signing in: nobody learns from it which accounts exist, or that one is\n" +
		"locked or disabled. The log has the exact key beside it. `COUNTERSIGN_REVEAL_ACCOUNT_STATE=true` shows the exact one to everybody. A client that gives the\n" +
		"right password, and it has expired, reads the words of `account.password-expired` and finds its action, `change-password`, under the same key, unless\n" +
		"`COUNTERSIGN_REVEAL_PASSWORD_EXPIRED` is off."},
	{"ceremony", "FIDO ceremonies", "`ceremony.refused` is the platform's no to what an authenticator answered. Where the platform says why, the answer keeps that key and takes its\n" +
		"words and its action from the row of the reason: `ceremony.not-started`, or one under *WebAuthn* and *UAF status codes*."},
	{"authenticator", "Authenticators", "The list of a person's authenticators."},
	{"account", "Accounts", "The state of an account. On `login` and for anybody who is not signed in, these are `sign-in.refused` or the row of the call, and a client that asks for an\n" +
		"authentication request, or for a push, is answered as if all were well; unless `COUNTERSIGN_REVEAL_ACCOUNT_STATE` is on. A signed-in person is told of\n" +
		"their own account when they ask for a request. The log has it always."},
	{"authentication", "Authentication", "What keeps a person from proving who they are, or from confirming on their device."},
	{"transaction", "Transactions", "What the platform says no to without a reason that we know."},
	{"activation", "Activation", "What the platform says no to without a reason that we know."},
	{"orchestration", "Orchestration", "Activating a device, and the requests sent to it: part 7.2 of the specification. The platform calls most of these a failure of its own; what a person can\n" +
		"set right by beginning again is a 409 here. Up to 22.R3, `-8006` and `-8000` stand for several causes each, and their words are true for all of them. An\n" +
		"error `command` of the orchestration service is in the answer's member `command`, unchanged, for the app to hand to its SDK.\n\n" +
		"A client that is not signed in is told `activation.refused` for each that is a 409, because each says something about an account. The `command` is the\n" +
		"SDK's and passes all the same."},
	{"webauthn", "WebAuthn", "Reasons within `ceremony.refused`. The platform's own words for them are not public; those below are an assumption."},
	{"uaf", "UAF status codes", "Reasons within `ceremony.refused` or `transaction.refused`. The number itself is in `uafStatusCode`."},
	{"signing", "Electronic signing", "Under `/api`. The answer also has the members of the platform's own errors: `code` (the status), `messageKey`, `message` and `name`."},
	{"verification", "Identity verification", "Under `/api`, with the same members."},
	{"platform", "The platform", "`platform.refused` is what the platform says no to without a reason that we know."},
	{"server", "Countersign itself", "What is a fault of ours, or of the Redis beside us."},
}

const head = `# Errors

Every error of Countersign is a row of one catalogue (` + "`internal/fault`" + `), and this document is written from it:
` + "`go test ./internal/fault -update`" + `.

- JSON answers are ` + "`application/problem+json`" + ` (RFC 9457) with the members ` + "`key`, `retryable` and `action`" + `. The key is stable; its page is
  ` + "`/errors/{key}`" + `, which ` + "`type`" + ` names. Title and detail (message and next step) are in the reader's language: English, French, German,
  Spanish or Japanese.
- **Retry**: the same request may succeed later, unchanged; ` + "`Retry-After`" + ` says when.
- **Action** is what a client can offer: ` + "`retry`" + `; ` + "`restart`" + ` the ceremony, activation or transaction; ` + "`sign-in`" + ` (again); ` + "`confirm`" + ` and repeat;
  ask for a ` + "`new-activation-password`" + `; use or register an ` + "`other-authenticator`" + `; ` + "`change-password`" + `; ` + "`contact`" + ` the people who run the account.
- **Log** is the severity: an ` + "`error`" + ` is for an operator to look at.
- **The platform says** what is translated to the row: a text, as a whole and whatever its white space, quotes, capitals and final full
  stop; ` + "`errorCode`, `errorCategory` or `uafStatusCode`" + `. It counts in the scenarios that are named below it, and in a refusal (4xx) also in those
  after *refusals in*; in a call of any other scenario the status decides, and a failure is ` + "`platform.failed`" + `, whatever its text. The platform's
  texts are never shown. A refusal that no row is for is answered with the row of the call
  (` + "`sign-in.refused`, `ceremony.refused`, `activation.refused`, `transaction.refused`, `platform.refused`" + `), counted, and logged as it came with the
  platform's ` + "`log-correlation-id`" + `.
`

func written(words *i18n.Printer) string {
	var b strings.Builder
	b.WriteString(head)
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", c.title, c.text)
		b.WriteString("| key | status | retry | action | log | people read | the platform says |\n|---|---|---|---|---|---|---|\n")
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

func TestEveryGroupHasItsChapter(t *testing.T) {
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
