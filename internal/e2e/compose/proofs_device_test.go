package compose_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/authenticator"
)

// A package may ask for a key that cannot leave its device: a synced one does not open the signing
// page.
func TestPasskey_DeviceBoundRequired(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{"maxAge": 600, "deviceBound": true}})
	s.passkey()
	if got := string(s.token(id).Want(http.StatusOK).Body); got == "" {
		t.Error("a bound key opens nothing")
	}
	if got := s.proofs(id); got.Kept[0].Passkey.Kind == nil || *got.Kept[0].Passkey.Kind != "device-bound" {
		t.Errorf("kept is %+v", got.Kept[0].Passkey)
	}
	if printed := string(s.owner.Page("/packages/" + id + "/proofs").Want(http.StatusOK).Body); !strings.Contains(printed, "On this device only") {
		t.Error("the printed page does not say that the key stays on its device")
	}
	s.clock.Advance(time.Minute)
	synced := authenticator.NewFIDO2(authenticator.Options{Origin: s.app.URL(), UserVerifying: true, Discoverable: true, Platform: true, Synced: true})
	s.bob.Register(synced)
	s.bob.Passkey(bob, synced)
	if got := lacks(s.token(id), "sign-in"); got[0] != (missing{Kind: "passkey", Reason: "synced", MaxAge: 600}) {
		t.Errorf("with a synced one: %+v", got)
	}
	s.bob.Page("/packages/" + id + "/sign").Want(http.StatusForbidden)
}
