package identity

import (
	"net/http"
	"strings"
	"time"
)

// activationActivated is a value of activationStatus; the others also occur for a push.
const activationActivated = "activated"

// status tells how the last activation stands: unknown if no password was asked for, timeout if
// nobody used it in its time.
func (a *activation) status(now time.Time) string {
	switch {
	case a.activated:
		return activationActivated
	case a.current.text == "":
		return statusUnknown
	case a.current.lives(now):
		return statusPending
	}
	return statusTimeout
}

// checkActivationInput is the payload of POST /registrations/check-status. TimeoutSeconds is how
// long the platform may wait for the device; the sandbox never waits.
type checkActivationInput struct {
	Login          *string `json:"login"`
	Domain         *string `json:"domain"`
	TimeoutSeconds *int64  `json:"timeoutSeconds"`
}

func (s *Server) checkActivation(_ *http.Request, in checkActivationInput) (any, error) {
	var r rules
	r.Required("login", in.Login)
	r.Length("login", in.Login, 1, 255)
	r.Length("domain", in.Domain, 0, 255)
	if or(in.TimeoutSeconds, 0) < 0 {
		r.Broken("timeoutSeconds", "must not be negative")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	user, out := *in.Login, struct {
		ActivationStatus string `json:"activationStatus"`
	}{statusUnknown}
	if !strings.Contains(user, "@") {
		user += "@" + or(in.Domain, defaultDomain)
	}
	if a, err := s.accounts.find(user); err == nil { // nobody's is unknown like that of a person without any
		out.ActivationStatus = a.activation.status(s.now())
	}
	return out, nil
}
