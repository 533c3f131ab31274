package cli

import (
	"context"
	"flag"
	"strings"

	"countersign/internal/dpop"
)

// proofKey returns the key that sessions are bound to, which it makes at the first need.
func (f *keyFile) proofKey() (*dpop.Key, error) {
	if f.ProofKey != nil {
		return dpop.ParseKey(f.ProofKey)
	}
	key, err := dpop.NewKey()
	if err != nil {
		return nil, err
	}
	if f.ProofKey, err = key.MarshalJWK(); err != nil {
		return nil, err
	}
	return key, f.save()
}

func (t *terminal) proofFlags(set *flag.FlagSet) {
	set.StringVar(&t.method, "method", "GET", "the request's `method`")
	set.StringVar(&t.path, "path", "/session", "the request's `path`; a query does not count")
	set.StringVar(&t.token, "token", "", "the `token` that goes with it; without one it is a sign-in's")
	set.StringVar(&t.nonce, "nonce", "", "the server's newest `nonce`, if it asks for one")
}

// proof prints a proof of the app's key for one request, for people who make the calls
// themselves.
func (t *terminal) proof(context.Context) error {
	if !strings.HasPrefix(t.path, "/") {
		return usagef("--path %q: a path begins with a slash", t.path)
	}
	key, err := t.keys.proofKey()
	if err != nil {
		return err
	}
	made, err := key.Prove(dpop.Call{Method: t.method, URL: t.app.Origin() + t.path, Token: t.token, Nonce: t.nonce}, t.Now())
	if err != nil {
		return err
	}
	t.say("%s", made)
	return nil
}
