package errors_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/explain"
	catalogue "countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/logtest"
)

// said maps the messages of part 7.2 of the specification to their errors.
var said = map[string]string{
	"Invalid Request ID": "orchestration.request-expired",
	"Unable to generate ephemeral key during activation step 1.":       "orchestration.activation-password-wrong",
	"Unable to find registration code in Shared Cache":                 "orchestration.activation-expired",
	"An unknown error has occurred.":                                   "orchestration.activation-outdated",
	"Could not process encrypted message":                              "orchestration.message-unreadable",
	"Failed to encrypt data":                                           "orchestration.encryption-failed",
	"The registration session was not found":                           "orchestration.session-unknown",
	"Failed to parse command":                                          "orchestration.command-malformed",
	"Unable to generate activation message during activation step 2.":  "orchestration.activation-message-failed",
	"Unable to add device during activation step 3.":                   "orchestration.device-not-added",
	"Unable to find an element during activation step 3.":              "orchestration.device-incomplete",
	"Unable to activate device during activation step 4.":              "orchestration.device-not-activated",
	"Unable to find an element during activation step 4.":              "orchestration.activation-incomplete",
	"Unable to find an element during register notification.":          "orchestration.notification-incomplete",
	"Unable to send remote authentication.":                            "orchestration.authentication-unsent",
	"Unable to send remote transaction.":                               "orchestration.transaction-unsent",
	"Unable to find an element during check mobile event.":             "orchestration.event-incomplete",
	"Unable to find an element during encryption of response command.": "orchestration.response-incomplete",
	"Unable to encode mobile response.":                                "orchestration.response-not-encoded",

	"The authenticator limit has been reached": "orchestration.authenticator-limit",
	"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count": "orchestration.license-exhausted",
	"User is disabled":       "account.disabled",
	"Authentication failed":  "authentication.failed",
	"User account not found": "account.unknown",
	"User is locked":         "account.locked",
	"Number of activation attempts exceeds number allowed": "orchestration.activation-attempts",
	"No authenticators available":                          "orchestration.no-authenticators",
	"Authenticator not supported":                          "orchestration.authenticator-unsupported",
	"Static password has expired":                          "account.password-expired",
}

// inNumbers are the messages for which 22.R3 has a number.
var inNumbers = map[string]string{
	"Invalid Request ID": "orchestration.transaction-error",
	"Unable to generate ephemeral key during activation step 1.": "orchestration.unknown-error",
	"Unable to find registration code in Shared Cache":           "orchestration.unknown-error",
}

// systemErrors are the errors that the platform answers with a 500.
var systemErrors = []string{
	"orchestration.request-expired", "orchestration.activation-password-wrong", "orchestration.activation-expired", "orchestration.activation-outdated",
	"orchestration.message-unreadable", "orchestration.encryption-failed", "orchestration.session-unknown", "orchestration.command-malformed",
	"orchestration.activation-message-failed", "orchestration.device-not-added", "orchestration.device-incomplete", "orchestration.device-not-activated",
	"orchestration.activation-incomplete", "orchestration.notification-incomplete", "orchestration.authentication-unsent",
	"orchestration.transaction-unsent", "orchestration.event-incomplete", "orchestration.response-incomplete", "orchestration.response-not-encoded",
	"orchestration.transaction-error", "orchestration.unknown-error",
}

// Every message of the platform reaches people as an error of ours, through every flow,
// in each release's form and in each language, without the platform's words.
func TestEveryMessageIsToldInOurWords(t *testing.T) {
	app := e2etest.Boot(t)
	member := e2etest.Program(t, app).SignedIn("alice@sandbox")
	own := ownDevices(t, app)
	languages := []string{"en", "de", "es", "fr", "ja"}
	told := map[string]map[string]string{}
	for turn, name := range slices.Sorted(maps.Keys(flows)) {
		f := flows[name]
		for message := range said {
			for i, release := range []string{"22.R3", "22.R4", "24.R2"} {
				if _, numbered := inNumbers[message]; !numbered && (turn+len(message))%3 != i {
					continue // each flow meets each message, and each message each release
				}
				language := languages[(len(message)+i)%len(languages)]
				c := member
				if f.outsider {
					c = e2etest.Program(t, app)
				}
				e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": f.operation, "error": message, "release": release})
				c.Header = c.Header.Clone()
				c.Header.Set("Accept-Language", language)
				r := f.send(c, own)
				what := fmt.Sprintf("%s, %s says %q", name, release, message)
				want := f.expected(message, release)
				if got := r.Text("key"); got != want {
					t.Errorf("%s: key %q, want %q", what, got, want)
				}
				if row := catalogue.Lookup(catalogue.Key(want)); r.Status != row.Status || (r.Header.Get("Retry-After") != "") != (row.Retryable && !f.spends) {
					t.Errorf("%s: %d, Retry-After %q", what, r.Status, r.Header.Get("Retry-After"))
				}
				if got := r.Header.Get("Content-Language"); got != language {
					t.Errorf("%s: in %q, want %q", what, got, language)
				}
				if strings.Contains(string(r.Body), strings.TrimSuffix(message, ".")) {
					t.Errorf("%s: the platform's own words: %s", what, r.Body)
				}
				if strings.Contains(r.Text("detail"), "。 ") {
					t.Errorf("%s: a space between sentences: %s", what, r.Text("detail"))
				}
				if command := r.Text("command"); (command != "") != (f.operation == "orchestrationCommands" && release == "24.R2") {
					t.Errorf("%s: command %q", what, command)
				}
				if told[language] == nil {
					told[language] = map[string]string{}
				}
				words := r.Text("key")
				if r.Text("action") == "change-password" { // an expired password refuses a sign-in in its own words
					words = "account.password-expired"
				}
				if other, ok := told[language][r.Text("detail")]; ok && other != words {
					t.Errorf("%s: the words of %s", what, other)
				}
				told[language][r.Text("detail")] = words
			}
		}
	}
}

// For a client that is not signed in, a locked account looks like an unknown one, and the
// log distinguishes them; an installation may choose otherwise.
func TestStatesOfAccountsAreForTheirOwners(t *testing.T) {
	sign := func(app *e2etest.App, user string) e2etest.Reply {
		r := e2etest.Program(t, app).Send("POST", "/users/"+user+"/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
		r.Body = []byte(strings.Replace(string(r.Body), r.Text("instance"), "", 1))
		return r
	}
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	nobody := sign(app, "nobody@sandbox").Refused(http.StatusConflict, "sign-in.refused")
	for user, key := range map[string]string{"dave@sandbox": "account.disabled", "erin@sandbox": "account.locked"} {
		if r := sign(app, user); string(r.Body) != string(nobody.Body) {
			t.Errorf("%s: %s, and nobody: %s", user, r.Body, nobody.Body)
		}
		if !strings.Contains(log.String(), "key=sign-in.refused specific="+key) {
			t.Errorf("the log does not tell %s", key)
		}
	}
	open := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	for user, key := range map[string]string{"nobody@sandbox": "account.unknown", "dave@sandbox": "account.disabled", "erin@sandbox": "account.locked"} {
		sign(open, user).Refused(http.StatusConflict, key)
	}
}

// A message without a row is answered with the row of the call, counted, and logged.
func TestWhatNobodyKnowsIsCounted(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "registerUser", "error": "The moon is full"})
	r := c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`).Refused(http.StatusConflict, "activation.refused")
	if strings.Contains(string(r.Body), "moon") {
		t.Errorf("told: %s", r.Body)
	}
	for _, want := range []string{"untranslated=true", "The moon is full", "correlation="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	story := explained(t, r.Header.Get("X-Request-Id"), log.String())
	for _, want := range []string{"alice@sandbox, from", "POST /users/register", "registerUser: answered 409, the platform's log id ", "Because ", "The moon is full", "docs/runbooks/CountersignWordsUnknown.md"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story lacks %q:\n%s", want, story)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	metrics := e2etest.Plain(t).Do(request)
	if want := `countersign_untranslated_total{route="/users/register"} 1`; !strings.Contains(string(metrics.Body), want) {
		t.Errorf("the metrics lack %s", want)
	}
}

// explained returns the story that a log tells of a request.
func explained(t *testing.T, id, log string) string {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var story strings.Builder
	source := explain.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
	if err := explain.Request(&story, bundle.For("en"), id, []explain.Source{source}); err != nil {
		t.Fatal(err)
	}
	return story.String()
}
