package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"countersign/internal/authenticator/appclient"
	"countersign/internal/uaf"
)

// signIn signs in with a key alone: the pre-session of the request carries the
// ceremony to the login.
func (t *terminal) signIn(ctx context.Context) error {
	if _, err := t.begin(ctx); err != nil {
		return err
	}
	defer t.signOut(ctx)
	me, err := t.app.Session(ctx)
	if err != nil {
		return err
	}
	t.say("Signed in as %s (%s), by %s.", me.User.ID, cmp.Or(me.User.DisplayName, "no name"), strings.Join(me.Methods, ", "))
	return nil
}

// confirm signs in and then confirms a transaction with the same key.
func (t *terminal) confirm(ctx context.Context) error {
	if t.protocol == appclient.FIDO2 {
		return usagef("--protocol FIDO2: what FIDO2 signs holds no transaction")
	}
	t.protocol = appclient.UAF11
	if _, err := uaf.NewTextTransaction(t.text); err != nil {
		return usagef("--text: a transaction is 1 to 200 characters of ASCII")
	}
	k, err := t.begin(ctx)
	if err != nil {
		return err
	}
	defer t.signOut(ctx)
	t.say("Asking for a request that shows: %s", t.text)
	request, err := t.app.RequestAuthentication(ctx, t.user, appclient.UAF11, t.text)
	if err != nil {
		return err
	}
	_, response, err := t.signWith([]*storedKey{k}, request)
	if err != nil {
		return err
	}
	out, err := t.app.Confirm(ctx, t.user, appclient.UAF11, response)
	if err != nil {
		return err
	}
	t.say("The transaction is %s%s.", out.SessionStatus, uafStatus(out))
	return nil
}

// begin begins a session with a key, and returns the key.
func (t *terminal) begin(ctx context.Context) (*storedKey, error) {
	candidates, err := t.candidates()
	if err != nil {
		return nil, err
	}
	protocol := candidates[0].Protocol
	t.say("Asking %s for an authentication request of %s, %s.", t.app.Origin(), t.user, protocol)
	request, err := t.app.RequestAuthentication(ctx, t.user, protocol, "")
	if err != nil {
		return nil, err
	}
	k, out, err := t.prove(ctx, candidates, request)
	if err != nil {
		t.signOut(ctx) // the pre-session
		return nil, err
	}
	t.say("The sign-in is %s%s.", out.SessionStatus, uafStatus(out))
	return k, nil
}

// prove answers the request and signs in.
func (t *terminal) prove(ctx context.Context, candidates []*storedKey, request string) (*storedKey, appclient.Outcome, error) {
	if err := t.trusted(ctx, request); err != nil {
		return nil, appclient.Outcome{}, err
	}
	k, response, err := t.signWith(candidates, request)
	if err != nil {
		return nil, appclient.Outcome{}, err
	}
	out, err := t.app.SignInWith(ctx, t.user, k.Protocol, response)
	if err == nil && out.SessionStatus != "accepted" {
		err = fmt.Errorf("the sign-in is %s", out.SessionStatus)
	}
	return k, out, err
}

// signWith signs with the first key that the request is for. It saves the key's counter
// before the signature is sent: a counter used twice would look like a copy of the key.
func (t *terminal) signWith(candidates []*storedKey, request string) (*storedKey, string, error) {
	for _, k := range candidates {
		if k.Protocol != protocolOf(request) {
			continue
		}
		d, err := k.device(t.origin)
		if err != nil {
			return nil, "", fmt.Errorf("key %s: %w", k.id(), err)
		}
		response, err := d.sign(request)
		if errors.Is(err, errNoKey) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if err := d.keep(k); err != nil {
			return nil, "", err
		}
		t.say("Signing with key %s.", k.id())
		return k, response, t.keys.save()
	}
	return nil, "", errors.New("the server asks for none of the keys that are kept here: was the sandbox restarted? register makes a new one, remove --forget drops an old one")
}

// protocolOf returns the protocol of a request, by its form: a UAF message is an array.
func protocolOf(request string) string {
	if strings.HasPrefix(strings.TrimSpace(request), "[") {
		return appclient.UAF11
	}
	return appclient.FIDO2
}
