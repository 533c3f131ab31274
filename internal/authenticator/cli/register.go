package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/appclient"
	"countersign/internal/uaf"
)

// register makes a key and registers it, like an app for a signed-in person.
func (t *terminal) register(ctx context.Context) error {
	protocol := cmp.Or(t.protocol, appclient.UAF11)
	made, err := t.newDevice(protocol)
	if err != nil {
		return err
	}
	if err := t.keys.save(); err != nil { // fail now rather than with a key to lose
		return err
	}
	if err := t.signInWithPassword(ctx); err != nil {
		return err
	}
	defer t.signOut(ctx)
	before, err := t.app.Authenticators(ctx, t.user)
	if err != nil {
		return err
	}
	t.say("Asking for a registration request, %s.", protocol)
	request, err := t.app.RequestRegistration(ctx, t.user, protocol, t.conveyance(protocol))
	if err != nil {
		return err
	}
	if err := t.trusted(ctx, request); err != nil {
		return err
	}
	t.say("Making a key: %s.", made.describe())
	response, err := made.register(request)
	if err != nil {
		return err
	}
	t.say("Registering it.")
	out, err := t.app.Register(ctx, t.user, protocol, response)
	if err != nil {
		return err
	}
	k, err := t.storeKey(made)
	if err != nil {
		return err
	}
	t.say("Registered%s. It is key %s in %s.", uafStatus(out), k.id(), t.keys.path)
	return t.identify(ctx, k, before)
}

// storeKey stores the key that a device has made.
func (t *terminal) storeKey(made device) (*storedKey, error) {
	k := &storedKey{URL: t.app.Origin(), User: t.user, CreatedAt: t.Now().UTC()}
	if err := made.keep(k); err != nil {
		return nil, err
	}
	t.keys.Keys = append(t.keys.Keys, k)
	return k, t.keys.save()
}

// conveyance returns the attestation to request for the new authenticator: FIDO2 gives
// none unasked.
func (t *terminal) conveyance(protocol string) string {
	if protocol == appclient.FIDO2 && t.fido2Attestation() != string(authenticator.None) {
		return "direct"
	}
	return ""
}

func uafStatus(out appclient.Outcome) string {
	if out.UAFStatusCode == 0 {
		return ""
	}
	return fmt.Sprintf(", UAF status %d", out.UAFStatusCode)
}

// identify finds the new registration's id, for remove.
func (t *terminal) identify(ctx context.Context, k *storedKey, before []appclient.Authenticator) error {
	after, err := t.app.Authenticators(ctx, t.user)
	if err != nil {
		return err
	}
	for _, a := range after {
		known := func(b appclient.Authenticator) bool { return a.ID == b.ID }
		if a.Protocol == k.Protocol && !slices.ContainsFunc(before, known) {
			k.Registration = a.ID
			t.say("Countersign calls it %q.", a.Name)
			return t.keys.save()
		}
	}
	return nil
}

// trusted makes a UAF client's check before it answers: it looks for itself in the list
// at the request's appID. For FIDO2 there is no such list.
func (t *terminal) trusted(ctx context.Context, message string) error {
	if protocolOf(message) != appclient.UAF11 {
		return nil
	}
	appID := appIDOf(message)
	if appID == "" {
		t.say("The request has no appID: the facet %s is the appID.", t.origin)
		return nil
	}
	document, ours, err := t.app.TrustedFacets(ctx, appID)
	switch {
	case err != nil:
		return fmt.Errorf("the trusted facets: %w", err)
	case !ours:
		t.say("The appID %q is not an address of %s: its facets are not looked up.", appID, t.app.Origin())
		return nil
	}
	facets, err := uaf.ParseTrustedFacets(document)
	if err != nil {
		return err
	}
	if !slices.Contains(facets, t.origin) {
		return fmt.Errorf("%s does not name the facet %s: no UAF client would go on", appID, t.origin)
	}
	t.say("%s names the facet %s.", appID, t.origin)
	return nil
}

// appIDOf returns the appID of a UAF request, or "".
func appIDOf(message string) string {
	var dictionaries []struct {
		Header struct {
			AppID string `json:"appID"`
		} `json:"header"`
	}
	if err := json.Unmarshal([]byte(message), &dictionaries); err != nil || len(dictionaries) == 0 {
		return ""
	}
	return dictionaries[0].Header.AppID
}

// remove removes the registration of a key, and the key.
func (t *terminal) remove(ctx context.Context) error {
	found, err := t.candidates()
	if err != nil {
		return err
	}
	if len(found) > 1 {
		return fmt.Errorf("%d keys may be meant: choose one with --key (countersign authenticator list names them)", len(found))
	}
	k := found[0]
	if t.forget {
		return t.forgotten(func(other *storedKey) bool { return other == k })
	}
	if err := t.signInWithPassword(ctx); err != nil {
		return err
	}
	defer t.signOut(ctx)
	if k.Registration == "" {
		return fmt.Errorf("which registration key %s has is not known here: remove it on %s/authenticators, then with --forget here", k.id(), k.URL)
	}
	request, err := t.app.Remove(ctx, t.user, k.Registration)
	if refusal, ok := errors.AsType[*appclient.Problem](err); ok && refusal.Status == http.StatusNotFound {
		return fmt.Errorf("%w\nThe server does not know this key any longer: --forget removes it here", err)
	}
	if err != nil {
		return err
	}
	t.say("Removed the registration of key %s.", k.id())
	if request == "" {
		return t.forgotten(func(other *storedKey) bool { return other == k })
	}
	t.say("The answer has a deregistration request, which the authenticator follows.")
	return t.deregister(request)
}

// deregister carries out a deregistration request.
func (t *terminal) deregister(message string) error {
	request, err := uaf.ParseDeregistrationRequest(message)
	if err != nil {
		return err
	}
	return t.forgotten(func(k *storedKey) bool {
		return k.UAF != nil && k.URL == t.app.Origin() && k.UAF.AppID == request.Header.AppID &&
			request.Covers(uaf.KeyReference{AAID: k.UAF.AAID, KeyID: k.UAF.KeyID})
	})
}

func (t *terminal) forgotten(which func(*storedKey) bool) error {
	before := len(t.keys.Keys)
	t.keys.Keys = slices.DeleteFunc(t.keys.Keys, which)
	if err := t.keys.save(); err != nil {
		return err
	}
	t.say("Forgot %d key(s) of %s.", before-len(t.keys.Keys), t.keys.path)
	return nil
}
