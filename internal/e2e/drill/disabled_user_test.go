package drill_test

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"countersign/internal/e2e/e2etest"
)

// disabledUser is somebody whose account is disabled while something is broken. They have two
// sessions, one of them bound to a key.
type disabledUser struct {
	person
	disabled bool
}

func newDisabledUser(s *site) *disabledUser {
	l := &disabledUser{person: person{site: s, user: "disabled@sandbox"}}
	l.counts.Store(&tally{})
	l.comeBack()
	return l
}

// comeBack lets the user in again, into new sessions.
func (l *disabledUser) comeBack() {
	l.site.manage("PUT", "users/"+l.user, `{"status":"active"}`)
	e2etest.Eventually(l.site.t, l.user+" is signed in", func() bool {
		l.token = l.login(e2etest.RightPassword, "").text("sessionToken")
		return l.token != ""
	})
	l.device = l.newDevice()
	l.disabled = false
}

// disable disables the user's account, and the user goes on.
func (s *site) disable() {
	s.manage("PUT", "users/"+s.disabledUser.user, `{"status":"disabled"}`)
	s.disabledUser.disabled = true
	s.disabledUser.look()
}

// disableDuring disables the user's account once breaking has begun, and the user goes
// on until it is done.
func (s *site) disableDuring(breaking func()) {
	done := make(chan struct{})
	var leaving sync.WaitGroup
	leaving.Go(func() {
		tick := time.NewTicker(s.scale.pace)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if s.disabledUser.disabled {
					s.disabledUser.look()
				} else {
					s.disable()
				}
			}
		}
	})
	breaking()
	close(done)
	leaving.Wait()
}

// look looks at both sessions.
func (l *disabledUser) look() []answer {
	return []answer{l.send(call{token: l.token, method: "GET", path: "/session"}), l.send(l.device.proven("GET", "/session", ""))}
}

// takeStockOfDisabledUser checks that once the account is disabled its sessions end, and none
// of them comes back.
func (s *site) takeStockOfDisabledUser(counts *tally) {
	if !s.disabledUser.disabled {
		return
	}
	e2etest.Eventually(s.t, "every session of a disabled account is over", func() bool {
		return !slices.ContainsFunc(s.disabledUser.look(), func(a answer) bool {
			return a.status != http.StatusUnauthorized || a.text("key") == "session.proof"
		})
	})
	for range s.nodes { // the proxy leads to one after the other
		for _, a := range s.disabledUser.look() {
			if a.status == http.StatusOK {
				counts.found(&counts.cameBack)
			}
		}
	}
}
