package ceremony_test

import (
	"reflect"
	"testing"
	"time"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

var now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

func TestBegin_CopiesRequest(t *testing.T) {
	t.Parallel()
	rp := ceremony.RelyingParty{ID: "login.example.org", MaxAge: 5 * time.Minute, Now: func() time.Time { return now }}
	begun := ceremony.Pending{Kind: ceremony.Transaction, User: user, RequestID: "authentication:1", Decoy: true}
	got := rp.Begin(begun, ceremony.Request{
		Protocol: ceremony.UAF11, Challenge: []byte{0, 1}, RPID: rpID, AppID: appID, TransactionHash: []byte{2}, Timeout: time.Minute,
	})
	want := &ceremony.Pending{
		Kind: ceremony.Transaction, User: user, RequestID: "authentication:1", Decoy: true,
		Protocol: ceremony.UAF11, Challenge: []byte{0, 1}, RPID: rpID, AppID: appID, TransactionHash: []byte{2},
		Expiry: now.Add(90 * time.Second),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("begun: %+v, want %+v", got, want)
	}
	if got := rp.Begin(begun, ceremony.Request{Protocol: ceremony.FIDO2}); got.RPID != rp.ID {
		t.Errorf("a request without an RP ID: %q, want %q", got.RPID, rp.ID)
	}
}

// A ceremony expires 30 seconds after the request's time-out, but never after MaxAge.
func TestBegin_SetsExpiry(t *testing.T) {
	t.Parallel()
	rp := ceremony.RelyingParty{MaxAge: 5 * time.Minute, Now: func() time.Time { return now }}
	for timeout, want := range map[time.Duration]time.Duration{
		0:                              5 * time.Minute,
		time.Millisecond:               30*time.Second + time.Millisecond,
		4 * time.Minute:                4*time.Minute + 30*time.Second,
		4*time.Minute + 30*time.Second: 5 * time.Minute,
		5 * time.Minute:                5 * time.Minute,
		24 * time.Hour:                 5 * time.Minute,
	} {
		begun := rp.Begin(ceremony.Pending{}, ceremony.Request{Timeout: timeout})
		if got := begun.Expiry.Sub(now); got != want {
			t.Errorf("a time-out of %v: open for %v, want %v", timeout, got, want)
		}
	}
}

// An unknown ceremony and a spent one have different faults, but in UAF the same status,
// of a challenge that is unknown, expired or used before.
func TestCeremony_UnknownOrSpent(t *testing.T) {
	t.Parallel()
	for protocol, status := range map[ceremony.Protocol]int{ceremony.FIDO2: 0, ceremony.UAF11: int(uaf.StatusRequestInvalid)} {
		for spent, key := range map[bool]fault.Key{false: fault.CeremonyUnknown, true: fault.CeremonySpent} {
			response := ceremony.Response{Protocol: protocol, Challenge: challenge("missing")}
			err := response.Pending().NotFound(spent)
			wantKey(t, string(protocol), err, key)
			if got := fault.From(err).UAFStatusCode; got != status {
				t.Errorf("%s, spent %v: status %d, want %d", protocol, spent, got, status)
			}
		}
	}
}

// A ceremony is found by the challenge in the response, and by its kind of record.
func TestResponse_FindsCeremony(t *testing.T) {
	t.Parallel()
	response := ceremony.Response{Protocol: ceremony.FIDO2, Challenge: challenge("found")}
	begun, found := &ceremony.Pending{Kind: ceremony.SignIn, User: user, Challenge: challenge("found")}, response.Pending()
	kind, key := begun.RecordKey()
	if k, c := found.RecordKey(); k != kind || string(c) != string(key) {
		t.Errorf("found by %s %x, begun as %s %x", k, c, kind, key)
	}
}
