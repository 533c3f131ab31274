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

func TestWhoIsToldWhat(t *testing.T) {
	readers := []fault.Reader{fault.Stranger, fault.SignedIn, fault.Confidant}
	for _, tt := range []struct {
		key, said fault.Key
		want      [3]fault.Key
	}{
		{fault.SignInRefused, "", [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.SignInRefused}},
		{fault.SignInRefused, fault.AccountLocked, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.AccountLocked}},
		{fault.SignInRefused, fault.AuthenticationFailed, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.AuthenticationFailed}},
		{fault.SignInRefused, fault.UAFRequestInvalid, [3]fault.Key{fault.SignInRefused, fault.SignInRefused, fault.SignInRefused}},
		{fault.PlatformRefused, fault.AccountLocked, [3]fault.Key{fault.PlatformRefused, fault.AccountLocked, fault.AccountLocked}},
		{fault.PlatformFailed, fault.AccountDisabled, [3]fault.Key{fault.PlatformFailed, fault.AccountDisabled, fault.AccountDisabled}},
		{fault.ActivationRefused, fault.OrchestrationActivationExpired,
			[3]fault.Key{fault.OrchestrationActivationExpired, fault.OrchestrationActivationExpired, fault.OrchestrationActivationExpired}},
		{fault.CeremonyRefused, fault.UAFUnacceptableKey, [3]fault.Key{fault.CeremonyRefused, fault.CeremonyRefused, fault.CeremonyRefused}},
		{fault.PlatformRefused, "no.such", [3]fault.Key{fault.PlatformRefused, fault.PlatformRefused, fault.PlatformRefused}},
	} {
		for i, reader := range readers {
			told := specific(tt.key, tt.said).Told(reader)
			if told.Key != tt.want[i] || told.Row().Key != tt.want[i] || told.Specific != "" {
				t.Errorf("%s of %s told to %d: %+v, want %s", tt.said, tt.key, reader, told, tt.want[i])
			}
		}
	}
}

// A row that refines keeps key, status and title of the wider one, and says in
// its own words what happened and what to do.
func TestARefinementLendsItsWords(t *testing.T) {
	e := specific(fault.CeremonyRefused, fault.UAFUnacceptableKey)
	row := e.Told(fault.Stranger).Row()
	if row.Key != fault.CeremonyRefused || row.Status != http.StatusConflict || row.Action != fault.ActionOtherAuthenticator {
		t.Errorf("told as %+v", row)
	}
	if row.TitleID() != "error.ceremony.refused.title" || row.MessageID() != "error.uaf.unacceptable-key.message" ||
		row.NextID() != "error.uaf.unacceptable-key.next" {
		t.Errorf("in the words %s, %s, %s", row.TitleID(), row.MessageID(), row.NextID())
	}
	if own := e.Row(); own.MessageID() != "error.ceremony.refused.message" || own.Action != fault.ActionRestart {
		t.Errorf("untold it is %+v", own)
	}
}

func TestARefinedSignInTellsAStrangerNothing(t *testing.T) {
	row := specific(fault.SignInRefused, fault.UAFUnacceptableKey).Told(fault.Stranger).Row()
	if row.MessageID() != "error.sign-in.refused.message" || row.Action != fault.ActionSignIn {
		t.Errorf("told as %+v", row)
	}
}

// The platform's UAF status says why, and so only to whom why is said.
func TestWhoIsToldTheUAFStatus(t *testing.T) {
	for _, said := range []fault.Key{"", fault.AccountLocked} {
		e := specific(fault.SignInRefused, said)
		e.UAFStatusCode, e.SignInStatus = 1404, 1401
		for reader, want := range map[fault.Reader]int{fault.Stranger: 1401, fault.SignedIn: 1401, fault.Confidant: 1404} {
			if got := e.Told(reader).UAFStatusCode; got != want {
				t.Errorf("%q, told to %d: UAF status %d, want %d", said, reader, got, want)
			}
		}
		if got := e.Under(fault.PlatformFailed).Told(fault.SignedIn).UAFStatusCode; got != 1404 {
			t.Errorf("%q, as a failure: UAF status %d", said, got)
		}
	}
}

// What is told decides when to try again, not what was promised.
func TestRetryAfterIsThatOfTheRowTold(t *testing.T) {
	if got := specific(fault.ActivationRefused, fault.OrchestrationEncryptionFailed).Told(fault.Stranger).RetrySeconds(); got != 1 {
		t.Errorf("a failure of the platform: %d", got)
	}
	if got := specific(fault.PlatformFailed, fault.OrchestrationActivationExpired).Told(fault.Stranger).RetrySeconds(); got != 0 {
		t.Errorf("an expired password: %d", got)
	}
}

func TestTheLogHasWhatHappened(t *testing.T) {
	e := specific(fault.SignInRefused, fault.AccountLocked)
	if e.Exact().Key != fault.AccountLocked || fault.New(fault.SignInRefused).Exact().Key != fault.SignInRefused {
		t.Error("Exact is not what happened")
	}
	if got := e.Error(); got != "sign-in.refused (account.locked): cause" {
		t.Errorf("logged as %q", got)
	}
	if got := specific(fault.AccountUnknown, fault.AccountUnknown).Error(); got != "account.unknown: cause" {
		t.Errorf("logged as %q", got)
	}
}

func TestUnderAnotherKey(t *testing.T) {
	e := specific(fault.ActivationRefused, fault.AccountLocked).After(time.Second)
	e.Command = "00ff"
	other := e.Under(fault.SignInRefused)
	if other.Key != fault.SignInRefused || other.Specific != fault.AccountLocked || other.Command != "00ff" ||
		other.RetryAfter != time.Second || errors.Unwrap(other) == nil {
		t.Errorf("got %+v", other)
	}
	if !fault.Is(fmt.Errorf("wrapped: %w", e), fault.ActivationRefused) {
		t.Error("the error itself has changed")
	}
}

// What tells of an account is for its owner: these rows and no others.
func TestPrivateRows(t *testing.T) {
	for _, row := range fault.Rows() {
		want := row.Key == fault.AccountUnknown || row.Key == fault.AccountDisabled || row.Key == fault.AccountLocked ||
			row.Key == fault.AccountPasswordExpired || row.Key == fault.OrchestrationUserError
		if row.Private != want {
			t.Errorf("%s: private is %t", row.Key, row.Private)
		}
	}
}
