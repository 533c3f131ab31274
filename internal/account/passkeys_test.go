package account_test

import (
	"reflect"
	"testing"
	"time"

	"countersign/internal/account"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// What is kept comes back as it was, an empty list apart from none; the name of a user stays
// with their handle.
func TestPasskeys(t *testing.T) {
	db, err := redisdb.Open(redisdb.Options{Embedded: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	keys, err := seal.New(make([]byte, seal.KeyLength))
	if err != nil {
		t.Fatal(err)
	}
	p, ctx := &account.Passkeys{Redis: db.Client, Keys: keys, Life: time.Hour}, t.Context()
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
