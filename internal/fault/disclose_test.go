package fault_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"countersign/internal/fault"
)

func specific(key, said fault.Key) *fault.Error {
	e := fault.Wrap(key, errors.New("cause"))
	e.Specific = said
	return e
}

var audiences = []fault.Audience{fault.Anonymous, fault.SignedIn, fault.Unrestricted}

func TestDisclose_ByAudience(t *testing.T) {
	for _, tt := range []struct {
		key, said fault.Key
		want      [3]fault.Key // for Anonymous, SignedIn and Unrestricted
	}{
		{fault.SignInRefused, "", [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.SignInRefused}},
		{fault.SignInRefused, fault.AccountLocked, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.AccountLocked}},
		{fault.SignInRefused, fault.AuthenticationFailed, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.AuthenticationFailed}},
		{fault.SignInRefused, fault.UAFRequestInvalid, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.SignInRefused}},
		{fault.SignInRefused, fault.OrchestrationAuthenticationUnsent,
			[3]fault.Key{fault.SignInRefused, fault.OrchestrationAuthenticationUnsent, fault.OrchestrationAuthenticationUnsent}},
		{fault.PlatformRefused, fault.AccountLocked, [3]fault.Key{fault.PlatformRefused, fault.AccountLocked, fault.AccountLocked}},
		{fault.PlatformFailed, fault.AccountDisabled, [3]fault.Key{fault.PlatformFailed, fault.AccountDisabled, fault.AccountDisabled}},
		{fault.AccountUnknown, "", [3]fault.Key{fault.PlatformRefused, fault.AccountUnknown, fault.AccountUnknown}},
		{fault.ActivationRefused, fault.OrchestrationActivationExpired,
			[3]fault.Key{fault.ActivationRefused, fault.OrchestrationActivationExpired, fault.OrchestrationActivationExpired}},
		{fault.ActivationRefused, fault.OrchestrationCommandMalformed,
			[3]fault.Key{fault.OrchestrationCommandMalformed, fault.OrchestrationCommandMalformed, fault.OrchestrationCommandMalformed}},
		{fault.ActivationRefused, fault.OrchestrationEncryptionFailed,
			[3]fault.Key{fault.OrchestrationEncryptionFailed, fault.OrchestrationEncryptionFailed, fault.OrchestrationEncryptionFailed}},
		{fault.CeremonyRefused, fault.UAFUnacceptableKey, [3]fault.Key{fault.CeremonyRefused, fault.CeremonyRefused, fault.CeremonyRefused}},
		{fault.PlatformFailed, fault.UAFInternalError, [3]fault.Key{fault.PlatformFailed, fault.PlatformFailed, fault.PlatformFailed}},
		{fault.PlatformRefused, "no.such", [3]fault.Key{fault.PlatformRefused, fault.PlatformRefused, fault.PlatformRefused}},
	} {
		for i, to := range audiences {
			e := specific(tt.key, tt.said)
			told := fault.Disclose(fmt.Errorf("wrapped: %w", e), to)
			if told.Key != tt.want[i] || told.Row().Key != tt.want[i] || told.Specific != "" {
				t.Errorf("%s of %s told to %d: %+v, want %s", tt.said, tt.key, to, told, tt.want[i])
			}
			if e.Key != tt.key || e.Specific != tt.said {
				t.Errorf("%s of %s: the error itself has changed", tt.said, tt.key)
			}
		}
	}
	if told := fault.Disclose(errors.New("nil pointer"), fault.Unrestricted); told.Key != fault.ServerInternal {
		t.Errorf("what has no row is told as %s", told.Key)
	}
}

// A refining row lends its texts: key, status and title stay those of the wider row.
func TestDisclose_TextsOfRefinement(t *testing.T) {
	e := specific(fault.CeremonyRefused, fault.UAFUnacceptableKey)
	row := fault.Disclose(e, fault.Anonymous).Row()
	if row.Key != fault.CeremonyRefused || row.Status != http.StatusConflict || row.Action != fault.ActionOtherAuthenticator {
		t.Errorf("told as %+v", row)
	}
	if row.TitleID() != "error.ceremony.refused.title" || row.MessageID() != "error.uaf.unacceptable-key.message" ||
		row.NextID() != "error.uaf.unacceptable-key.next" {
		t.Errorf("in the words %s, %s, %s", row.TitleID(), row.MessageID(), row.NextID())
	}
	failed := fault.Disclose(specific(fault.PlatformFailed, fault.UAFRequestInvalid), fault.SignedIn).Row()
	if failed.Action != fault.ActionRetry || failed.MessageID() != "error.platform.failed.message" {
		t.Errorf("a failure is told as %+v", failed)
	}
	if own := e.Row(); own.MessageID() != "error.ceremony.refused.message" || own.Action != fault.ActionRestart {
		t.Errorf("undisclosed it is %+v", own)
	}
}

// A person who proved the right password is told why it is refused, under the key and the
// title of every refused sign-in.
func TestDisclose_PasswordProven(t *testing.T) {
	for _, to := range audiences[:2] {
		e := specific(fault.SignInRefused, fault.AccountPasswordExpired)
		if got := fault.Disclose(e, to).Row(); fmt.Sprint(got) != fmt.Sprint(fault.Lookup(fault.SignInRefused)) {
			t.Errorf("unproved, told to %d as %+v", to, got)
		}
		e.Proved = true
		row := fault.Disclose(e, to).Row()
		if row.Key != fault.SignInRefused || row.Status != http.StatusConflict || row.Action != fault.ActionChangePassword ||
			row.TitleID() != "error.sign-in.refused.title" || row.MessageID() != "error.account.password-expired.message" {
			t.Errorf("told to %d as %+v", to, row)
		}
	}
	e := specific(fault.SignInRefused, fault.AccountPasswordExpired)
	e.Proved = true
	if key := fault.Disclose(e, fault.Unrestricted).Key; key != fault.AccountPasswordExpired {
		t.Errorf("told to everybody as %s", key)
	}
}

// For a client that is not signed in, all refusals of a sign-in are one row, and so are
// all refusals of an activation: in key, texts, status, retrying and action.
func TestDisclose_AnonymousSeesOneRow(t *testing.T) {
	for _, call := range []fault.Key{fault.SignInRefused, fault.ActivationRefused} {
		want := fault.Lookup(call)
		for _, row := range fault.Rows() {
			if row.Status != http.StatusConflict || row.DetailOnly && call != fault.SignInRefused {
				continue
			}
			told := fault.Disclose(specific(call, row.Key), fault.Anonymous)
			if got := told.Row(); fmt.Sprint(got) != fmt.Sprint(want) || told.RetrySeconds() != 0 {
				t.Errorf("%s of %s is told as %+v", row.Key, call, got)
			}
		}
	}
}

// The platform's UAF status reveals the reason, so only those who can know the reason get
// it; outside of UAF there is none.
func TestDisclose_UAFStatus(t *testing.T) {
	for _, said := range []fault.Key{"", fault.AccountLocked} {
		for _, platforms := range []int{0, 1401, 1404, 1491} {
			e := specific(fault.SignInRefused, said)
			e.UAFStatusCode = platforms
			for over, want := range map[bool][3]int{false: {0, 0, platforms}, true: {1401, 1401, platforms}} {
				e.UAF = over
				for i, to := range audiences {
					if got := fault.Disclose(e, to).UAFStatusCode; got != want[i] {
						t.Errorf("%q with %d, of UAF %t, told to %d: UAF status %d, want %d", said, platforms, over, to, got, want[i])
					}
				}
			}
		}
	}
}

// RetryAfter follows the row that is shown, not the one that is concealed.
func TestRetryAfter_OfDisclosedRow(t *testing.T) {
	if got := fault.Disclose(specific(fault.ActivationRefused, fault.OrchestrationEncryptionFailed), fault.Anonymous).RetrySeconds(); got != 1 {
		t.Errorf("a failure of the platform: %d", got)
	}
	if got := fault.Disclose(specific(fault.PlatformFailed, fault.OrchestrationActivationExpired), fault.Anonymous).RetrySeconds(); got != 0 {
		t.Errorf("an expired password: %d", got)
	}
}

// A request whose ceremony is spent cannot be sent again, whatever failed.
func TestRestart_CeremonySpent(t *testing.T) {
	for _, e := range []*fault.Error{
		fault.New(fault.PlatformFailed), fault.New(fault.PlatformUnavailable).After(time.Minute), fault.New(fault.SessionUnavailable).After(time.Second),
		specific(fault.PlatformFailed, fault.OrchestrationEncryptionFailed),
	} {
		for _, to := range audiences {
			told := fault.Disclose(fmt.Errorf("after the spend: %w", e.Restart()), to)
			row, before := told.Row(), fault.Lookup(told.Key)
			if row.Retryable || row.Action != fault.ActionRestart || told.RetrySeconds() != 0 {
				t.Errorf("%v told to %d: %+v, retry after %d", e, to, row, told.RetrySeconds())
			}
			if row.Status != before.Status || row.Level != before.Level || row.MessageID() != before.MessageID() || row.NextID() == before.NextID() {
				t.Errorf("%v told to %d: %+v in the words %s, %s", e, to, row, row.MessageID(), row.NextID())
			}
		}
	}
	// A row that is not retryable anyway keeps its action.
	if row := fault.New(fault.SignInRefused).Restart().Row(); row.Action != fault.ActionSignIn || row.NextID() != "error.sign-in.refused.next" {
		t.Errorf("a refusal became %+v", row)
	}
}

func TestMostSpecific_LoggedReason(t *testing.T) {
	e := specific(fault.SignInRefused, fault.AccountLocked)
	if e.MostSpecific().Key != fault.AccountLocked || fault.New(fault.SignInRefused).MostSpecific().Key != fault.SignInRefused {
		t.Error("Exact is not what happened")
	}
	if got := e.Error(); got != "sign-in.refused (account.locked): cause" {
		t.Errorf("logged as %q", got)
	}
	if got := specific(fault.AccountUnknown, fault.AccountUnknown).Error(); got != "account.unknown: cause" {
		t.Errorf("logged as %q", got)
	}
}

func TestWithKey_KeepsDetails(t *testing.T) {
	e := specific(fault.ActivationRefused, fault.AccountLocked).After(time.Second)
	e.Command = "00ff"
	other := e.WithKey(fault.SignInRefused)
	if other.Key != fault.SignInRefused || other.Specific != fault.AccountLocked || other.Command != "00ff" ||
		other.RetryAfter != time.Second || errors.Unwrap(other) == nil {
		t.Errorf("got %+v", other)
	}
	if !fault.Is(fmt.Errorf("wrapped: %w", e), fault.ActivationRefused) {
		t.Error("the error itself has changed")
	}
}

// Exactly these rows, which reveal something about an account, are private.
func TestPrivateRows_RevealAccounts(t *testing.T) {
	for _, row := range fault.Rows() {
		want := row.Key == fault.AccountUnknown || row.Key == fault.AccountDisabled || row.Key == fault.AccountLocked ||
			row.Key == fault.AccountPasswordExpired || row.Key == fault.OrchestrationUserError
		if row.Private != want {
			t.Errorf("%s: private is %t", row.Key, row.Private)
		}
	}
}

func TestRefusalKey_ByStatusAndReason(t *testing.T) {
	for _, tt := range []struct{ status, own, reason, want fault.Key }{
		{fault.PlatformFailed, fault.CeremonyRefused, "", fault.PlatformFailed},
		{fault.CeremonyRefused, fault.CeremonyRefused, "", fault.CeremonyRefused},
		{fault.PlatformFailed, fault.CeremonyRefused, fault.AccountLocked, fault.CeremonyRefused},
		{fault.PlatformRefused, fault.ActivationRefused, fault.AccountLocked, fault.ActivationRefused},
		{fault.AccountUnknown, fault.PlatformRefused, fault.AccountUnknown, fault.AccountUnknown},
		{fault.PlatformFailed, fault.ActivationRefused, fault.OrchestrationEncryptionFailed, fault.PlatformFailed},
		{fault.PlatformFailed, fault.CeremonyRefused, fault.UAFRequestInvalid, fault.PlatformFailed},
		{fault.PlatformFailed, fault.SignInRefused, fault.UAFRequestInvalid, fault.PlatformFailed},
		{fault.PlatformFailed, fault.SignInRefused, fault.OrchestrationAuthenticationUnsent, fault.SignInRefused},
		{fault.PlatformFailed, fault.SignInRefused, "", fault.PlatformFailed},
	} {
		if got := (fault.Refusal{Status: tt.status, Own: tt.own, Reason: tt.reason}).Key(); got != tt.want {
			t.Errorf("%s under %s with reason %q: %s, want %s", tt.status, tt.own, tt.reason, got, tt.want)
		}
	}
}
