package fault_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"countersign/internal/fault"
)

var releases = []fault.Release{fault.R3, fault.R4}

func identitySays(release fault.Release, scenario fault.Scenario, texts ...string) fault.Upstream {
	return fault.Upstream{Family: fault.Identity, Release: release, Scenarios: []fault.Scenario{scenario}, Texts: texts}
}

func TestRows_OnePerMessage(t *testing.T) {
	rows := map[fault.Key]string{}
	for _, m := range slices.Concat(systemErrors, businessErrors) {
		if other, taken := rows[m.key]; taken {
			t.Errorf("%q and %q have one row", m.text, other)
		}
		rows[m.key] = m.text
		for _, scenario := range m.met {
			if !slices.Contains(fault.Lookup(m.key).Scenarios, scenario) {
				t.Errorf("%s is not met in %s", m.key, scenario)
			}
			for _, release := range releases {
				if key, known := fault.Translate(identitySays(release, scenario, m.text)); key != m.key || !known {
					t.Errorf("%s, %s: %q is %q, want %s", release, scenario, m.text, key, m.key)
				}
			}
		}
	}
	if len(rows) != 29 {
		t.Errorf("%d messages, where the specification has 19 and 10", len(rows))
	}
}

// A message of part 7.2 counts in its scenarios there. In other scenarios the text of a
// failure means nothing; a refusal has meaning in a few more.
func TestTranslate_MessageOutsideScenario(t *testing.T) {
	for _, m := range slices.Concat(systemErrors, businessErrors, loginMessages) {
		for _, scenario := range allScenarios {
			for _, release := range releases {
				for _, refused := range []bool{false, true} {
					u := identitySays(release, scenario, m.text)
					u.Refused = refused
					var want fault.Key
					switch {
					case slices.Contains(m.met, scenario):
						want = m.key
					case refused && slices.Contains(refusedIn[m.text].scenarios, scenario):
						want = refusedIn[m.text].key
					}
					if key, known := fault.Translate(u); key != want || known != (want != "") {
						t.Errorf("%s: %q in %q, refused %t: %q, want %q", release, m.text, scenario, refused, key, want)
					}
				}
			}
		}
	}
}

// If a call has several scenarios, one match is enough.
func TestTranslate_SeveralScenarios(t *testing.T) {
	for text, want := range map[string]fault.Key{
		"Unable to send remote authentication.": fault.OrchestrationAuthenticationUnsent, "Timed out": fault.AuthenticationTimedOut,
		"Unable to send remote transaction.": "", "An unknown error has occurred.": "",
	} {
		u := identitySays(fault.R4, fault.Login, text)
		u.Scenarios = append(u.Scenarios, fault.RemoteAuthentication)
		if key, _ := fault.Translate(u); key != want {
			t.Errorf("%q: %q, want %q", text, key, want)
		}
	}
	u := identitySays(fault.R4, "", "User is locked")
	u.Scenarios = nil
	if key, known := fault.Translate(u); known {
		t.Errorf("a call of no scenario: %s", key)
	}
}

func TestTranslate_EverySpelling(t *testing.T) {
	spellings := map[string]func(string) string{
		"as it is":              func(s string) string { return s },
		"without its full stop": func(s string) string { return strings.TrimSuffix(s, ".") },
		"with a full stop":      func(s string) string { return strings.TrimSuffix(s, ".") + "." },
		"with white space":      func(s string) string { return " \t" + strings.ReplaceAll(s, " ", "\r\n  ") + " .\n" },
		"with other spaces":     func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") + "\u200b" },
		"in capitals":           strings.ToUpper,
		"in wide letters":       wide,
		"marked as UTF-8":       func(s string) string { return "\ufeff" + s },
	}
	for name, spell := range spellings {
		for _, m := range slices.Concat(systemErrors, businessErrors, loginMessages) {
			if key, known := fault.Translate(identitySays(fault.R4, m.met[0], spell(m.text))); key != m.key || !known {
				t.Errorf("%s: %q is %q, want %s", name, spell(m.text), key, m.key)
			}
		}
	}
}

// wide returns s with letters and digits in their full-width forms.
func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= unicode.MaxASCII {
			return r - '!' + '！'
		}
		return r
	}, s)
}

func TestTranslate_PartialText(t *testing.T) {
	for _, text := range []string{
		"", " ", ".", "User", "User is", "User is locked out", "The User is locked", "User is locked: User is disabled",
		"User 'User is locked' cannot sign in", "User is locked\nUser is locked", "Userislocked", "authentication failed for user is locked",
		"User is not locked", "-1100x", "8006", "User is locked\x00", strings.Repeat("User is locked ", 5000), strings.Repeat(" ", 600) + "User is locked",
	} {
		for _, release := range releases {
			if key, known := fault.Translate(identitySays(release, fault.Login, text)); known || key != "" {
				t.Errorf("%.60q is %s", text, key)
			}
		}
	}
}

func TestTranslate_FirstKnownText(t *testing.T) {
	got, _ := fault.Translate(identitySays(fault.R4, fault.Login, "Conflict", "User is locked", "User is disabled"))
	if got != fault.AccountLocked {
		t.Errorf("got %s", got)
	}
}

func TestTranslate_Numbers(t *testing.T) {
	for number, want := range map[int]fault.Key{
		-8006: "orchestration.transaction-error", -8000: "orchestration.unknown-error", -8007: "", -7999: "", 8006: "",
		-999: "", 0: "", 409: "",
		-1000: "orchestration.system-error", -1001: "orchestration.input-invalid", -1002: "orchestration.input-unreadable",
		-1003: "orchestration.system-error", -1099: "orchestration.system-error",
		-1100: "orchestration.user-error", -1199: "orchestration.user-error",
		-1200: "orchestration.provisioning-error", -1299: "orchestration.provisioning-error",
		-1300: "orchestration.authenticator-error", -1399: "orchestration.authenticator-error",
		-1400: "orchestration.session-error", -1499: "orchestration.session-error",
		-1500: "orchestration.risk-error", -1599: "orchestration.risk-error",
		-1600: "orchestration.authentication-error", -1699: "orchestration.authentication-error",
		-1700: "orchestration.transaction-error", -1799: "orchestration.transaction-error",
		-1800: "",
	} {
		for _, release := range releases {
			u := identitySays(release, fault.OnlineActivation, "Something new")
			u.Number = number
			if got, known := fault.Translate(u); got != want || known != (want != "") {
				t.Errorf("%s: %d is %q, want %q", release, number, got, want)
			}
			for _, scenario := range []fault.Scenario{"", fault.Login, fault.Authentication, fault.RemoteTransaction} {
				u.Scenarios = []fault.Scenario{scenario}
				if got, known := fault.Translate(u); known {
					t.Errorf("%s: %d in %q is %q", release, number, scenario, got)
				}
			}
		}
	}
}

// Up to 22.R3 the number can replace the text; from a later release a number there is
// unknown.
func TestTranslate_NumberInsteadOfText(t *testing.T) {
	for text, want := range map[string]fault.Key{"-8006": fault.OrchestrationTransactionError, " –8000. ": fault.OrchestrationUnknownError, "-80 06": "", "x-8006": ""} {
		if got, _ := fault.Translate(identitySays(fault.R3, fault.OnlineActivation, text)); got != want {
			t.Errorf("22.R3: %q is %q, want %q", text, got, want)
		}
		if got, known := fault.Translate(identitySays(fault.R4, fault.OnlineActivation, text)); known {
			t.Errorf("22.R4: %q is %q", text, got)
		}
	}
}

func TestTranslate_Categories(t *testing.T) {
	for _, category := range []string{"system", "user", "provisioning", "authenticator", "session", "risk", "authentication", "transaction"} {
		got, known := fault.Translate(fault.Upstream{Family: fault.Identity, Scenarios: activation, Category: category})
		if !known || got != fault.Key("orchestration."+category+"-error") {
			t.Errorf("%s is %q", category, got)
		}
	}
	if got, known := fault.Translate(fault.Upstream{Family: fault.Identity, Scenarios: activation, Category: "weather"}); known {
		t.Errorf("an unknown category is %s", got)
	}
}

// The most exact source counts: a text before a number, a number before a category; a UAF
// status code before the one vague text.
func TestTranslate_MostExactSource(t *testing.T) {
	u := identitySays(fault.R4, fault.Login, "User is locked")
	u.Scenarios = append(u.Scenarios, fault.OnlineActivation)
	u.Number, u.Category, u.UAFStatusCode = -1300, "session", 1491
	for _, want := range []struct {
		key    fault.Key
		forget func()
	}{
		{fault.AccountLocked, func() { u.Texts = []string{"Authentication failed"} }},
		{fault.UAFRequestInvalid, func() { u.Texts = nil }},
		{fault.UAFRequestInvalid, func() { u.UAFStatusCode = 1200 }},
		{fault.OrchestrationAuthenticatorError, func() { u.Number = 0 }},
		{fault.OrchestrationSessionError, func() { u.Category = "" }},
		{"", func() {}},
	} {
		if got, _ := fault.Translate(u); got != want.key {
			t.Errorf("%+v is %q, want %q", u, got, want.key)
		}
		want.forget()
	}
}

// Exactly the UAF status codes that refuse have a row.
func TestUAFStatusCodes_RefusalsHaveRows(t *testing.T) {
	refusals := []int{1400, 1401, 1403, 1404, 1408, 1480, 1481, 1490, 1491, 1492, 1493, 1494, 1495, 1496, 1497, 1498, 1500}
	keys := map[fault.Key]bool{}
	for code := range 2000 {
		key, known := fault.Translate(fault.Upstream{Family: fault.Identity, Scenarios: firstSix, UAFStatusCode: code})
		if known != slices.Contains(refusals, code) {
			t.Errorf("%d is %q", code, key)
		}
		if known {
			keys[key] = true
			if row := fault.Lookup(key); !row.DetailOnly {
				t.Errorf("%s stands for itself", key)
			}
		}
	}
	if len(keys) != len(refusals) {
		t.Errorf("%d rows for %d codes", len(keys), len(refusals))
	}
}

func TestTranslate_UnknownFamily(t *testing.T) {
	for _, family := range []fault.Family{"", "signing"} {
		u := identitySays(fault.R4, fault.Login, "User is locked")
		u.Family = family
		if got, known := fault.Translate(u); known {
			t.Errorf("%q: %s", family, got)
		}
	}
}

// Every row has a source: a text, a number or our own code.
func TestRows_HaveSource(t *testing.T) {
	ours := []string{"request", "session", "sign-in", "platform", "server", "activation", "transaction"}
	for _, row := range fault.Rows() {
		group, _, _ := strings.Cut(string(row.Key), ".")
		platforms := !slices.Contains(ours, group) && len(row.Scenarios)+len(row.RefusedIn) > 0
		if sources := fault.Sources(row.Key); platforms != (len(sources) > 0) {
			t.Errorf("%s: met in %v, said as %v", row.Key, row.Scenarios, sources)
		}
	}
	got := fault.Sources(fault.OrchestrationTransactionError)
	want := []string{`"Orchestration transaction error"`, "errorCode -8006", "errorCode -1799 to -1700", "errorCategory transaction"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = fault.Sources(fault.AuthenticationNoAuthenticator)
	if want = []string{`"No authenticators available"`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
