package compose_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// A package may ask for a key that cannot leave its device: a synced one, and one of which that
// is not known, do not open the signing page.
func TestPasskey_DeviceBoundRequired(t *testing.T) {
	s := openSite(t)
	asked := members{"passkey": members{"maxAge": 600, "deviceBound": true}}
	id := s.send(asked)
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
	s.clock.Advance(time.Minute)
	e2etest.Manage(t, s.app, "POST", "/faults", e2etest.Fault{"operation": "listFidoRegistrations", "status": 500, "times": 1})
	unseen := e2etest.NewPasskey(s.app)
	s.bob.Register(unseen)
	s.bob.Passkey(bob, unseen)
	if got := lacks(s.token(id), "sign-in"); got[0] != (missing{Kind: "passkey", Reason: "unknown", MaxAge: 600}) {
		t.Errorf("with one that is not known: %+v", got)
	}
	s.bob.Page("/packages/" + id + "/sign").Want(http.StatusForbidden)
	s.ask(id, members{"passkey": members{"maxAge": 600}}).Refused(http.StatusConflict, "signing.state")
	s.ask(id, members{"passkey": members{"deviceBound": "yes"}}).Refused(http.StatusBadRequest, "request.invalid")
	s.ask(id, asked).Want(http.StatusOK)
}
