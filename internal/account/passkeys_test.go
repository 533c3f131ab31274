package account_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"countersign/internal/account"
	"countersign/internal/identity/platform"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
)

// What is kept comes back as it was, an empty list apart from none; the name of a user stays
// with their handle.
func TestPasskeys_KeptAndRead(t *testing.T) {
	p, ctx := passkeys(t), t.Context()
	const alice = "alice@sandbox"
	if user, accepted, ok, err := p.Of(ctx, alice); ok || err != nil || user.Handle != nil || accepted.Credentials != nil {
		t.Errorf("of nobody: %+v, %+v, %v, %v", user, accepted, ok, err)
	}
	for _, want := range []account.AcceptedPasskeys{
		{Credentials: [][]byte{{1}, {2, 3}}, RPID: "example.org", Ceremony: []byte{4}}, {Credentials: [][]byte{}, At: 5, SignIn: "s", List: "l"}, {At: 6},
	} {
		if err := p.Keep(ctx, alice, want); err != nil {
			t.Fatal(err)
		}
		if _, got, ok, err := p.Of(ctx, alice); !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v: %v, %v", got, want, ok, err)
		}
	}
	for _, step := range []struct{ keep, want account.PasskeyUser }{
		{account.PasskeyUser{RPID: "r", Handle: []byte{1}}, account.PasskeyUser{RPID: "r", Handle: []byte{1}}},
		{account.PasskeyUser{RPID: "r", Handle: []byte{1}, Name: "n"}, account.PasskeyUser{RPID: "r", Handle: []byte{1}, Name: "n"}},
		{account.PasskeyUser{RPID: "r", Handle: []byte{1}}, account.PasskeyUser{RPID: "r", Handle: []byte{1}, Name: "n"}},
		{account.PasskeyUser{RPID: "r", Handle: []byte{2}}, account.PasskeyUser{RPID: "r", Handle: []byte{2}}},
	} {
		if err := p.KeepUser(ctx, alice, step.keep); err != nil {
			t.Fatal(err)
		}
		if got, _, _, err := p.Of(ctx, alice); err != nil || !reflect.DeepEqual(got, step.want) {
			t.Errorf("%+v, want %+v: %v", got, step.want, err)
		}
	}
	if _, _, ok, err := p.Of(ctx, "bob@sandbox"); ok || err != nil {
		t.Errorf("of another person: %v, %v", ok, err)
	}
}

func passkeys(t *testing.T) *account.Passkeys {
	t.Helper()
	db := dbtest.Embedded(t)
	return account.NewPasskeys(account.Passkeys{Redis: db.Client, Keys: sealedBy(t, 0), Life: time.Hour, Now: time.Now})
}

// sealedBy returns the keys that consist of these bytes.
func sealedBy(t *testing.T, each ...byte) seal.Keys {
	t.Helper()
	var all [][]byte
	for _, b := range each {
		all = append(all, bytes.Repeat([]byte{b}, seal.KeyLength))
	}
	return sealtest.Keys(all...)
}

// The kind of a passkey is that of its own registration: what may be backed up is synced, whether
// it is or not. It outlives a change of keys, and goes with the registration.
func TestPasskeys_KindFromRegistration(t *testing.T) {
	p, ctx := passkeys(t), t.Context()
	const alice = "alice@sandbox"
	for id, made := range map[string]account.Made{
		"r-synced": {BackupEligible: true, BackedUp: true}, "r-eligible": {BackupEligible: true}, "r-bound": {}, "r-wrong": {BackedUp: true}, "r-removed": {},
	} {
		if err := p.KeepMade(ctx, alice, id, made); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []bool{true, false} {
		if _, ok, err := p.ForgetMade(ctx, alice, "r-removed"); err != nil || ok != want {
			t.Fatalf("removed: %v, %v, want %v", ok, err, want)
		}
	}
	want := map[string]platform.Kind{
		"r-synced": platform.Synced, "r-eligible": platform.Synced, "r-bound": platform.DeviceBound, "r-wrong": platform.DeviceBound, "r-removed": "", "r-older": "", "uaf": platform.DeviceBound,
	}
	kinds := func(person string) map[string]platform.Kind {
		var list []platform.Authenticator
		for id := range want {
			a := platform.Authenticator{ID: id, Protocol: platform.FIDO2}
			if id == "uaf" {
				a.Protocol, a.Kind = platform.UAF11, platform.DeviceBound
			}
			list = append(list, a)
		}
		if err := p.FillIn(ctx, person, list); err != nil {
			t.Fatal(err)
		}
		got := map[string]platform.Kind{}
		for _, a := range list {
			got[a.ID] = a.Kind
		}
		return got
	}
	if got := kinds(alice); !reflect.DeepEqual(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	p.Keys = sealedBy(t, 1, 0)
	if got := kinds(alice); !reflect.DeepEqual(got, want) {
		t.Errorf("after a change of keys: %v, want %v", got, want)
	}
	for id, kind := range kinds("bob@sandbox") {
		if kind != "" && id != "uaf" {
			t.Errorf("%s of another person is %s", id, kind)
		}
	}
}

// A kind that was found is not read again on the same day, nor is one that is not known of an old
// registration; of a new one it may be kept in a moment.
func TestFillIn_Remembered(t *testing.T) {
	db := dbtest.Embedded(t)
	now := time.Date(2030, 1, 2, 3, 0, 0, 0, time.UTC)
	p := account.NewPasskeys(account.Passkeys{Redis: db.Client, Keys: sealedBy(t, 0), Life: time.Hour, Now: func() time.Time { return now }})
	keep := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if err := p.KeepMade(t.Context(), "alice@sandbox", id, account.Made{BackupEligible: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	wants := func(about string, want ...platform.Kind) {
		t.Helper()
		var got []platform.Kind
		for i, id := range []string{"known", "old", "new"} {
			list := []platform.Authenticator{{ID: id, Protocol: platform.FIDO2, CreatedAt: now.Add(time.Duration(i-2) * 2 * time.Hour)}}
			if err := p.FillIn(t.Context(), "alice@sandbox", list); err != nil {
				t.Fatal(err)
			}
			got = append(got, list[0].Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", about, got, want)
		}
	}
	keep("known")
	wants("first", platform.Synced, "", "")
	keep("old", "new")
	wants("kept since", platform.Synced, "", platform.Synced)
	if err := db.Client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	wants("lost", platform.Synced, "", platform.Synced)
	now = now.Add(24 * time.Hour)
	wants("a day later", "", "", "")
}
