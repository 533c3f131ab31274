package idv

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// visit is a transaction with the token that opens it.
type visit struct {
	*transaction
	token
	device device
}

// visit returns the request's visit, with its session begun, or else the page to answer
// with. A cancelled transaction is shown even if the token has expired.
func (s *Server) visit(r *http.Request) (visit, http.Handler) {
	t, err := s.store.find(r.PathValue("transaction"))
	if err != nil {
		return visit{}, page{Title: "This verification does not exist", Notice: "It may have been erased.", status: http.StatusNotFound}
	}
	i := slices.IndexFunc(t.tokens, func(one token) bool { return one.value == r.URL.Query().Get("access_token") })
	if i < 0 {
		return visit{}, page{Title: "This link cannot be used", Notice: "Open your verification again.", status: http.StatusForbidden}
	}
	v := visit{transaction: t, token: t.tokens[i]}
	v.device.IPAddress, _, _ = net.SplitHostPort(r.RemoteAddr) // "" if there is none
	v.device.Name = r.UserAgent()[:min(len(r.UserAgent()), 200)]
	if v.until.After(s.now()) || t.status == statusCancelled {
		return s.begin(v), nil
	}
	if leads := v.leads(redirectTimeout); leads != "" {
		return visit{}, http.RedirectHandler(leads, http.StatusSeeOther)
	}
	return visit{}, page{Title: "Your session has ended", Notice: "Open your verification again.", status: http.StatusForbidden}
}

// leads returns the address of the first of those redirects that the client has set,
// filled in, or "".
func (v visit) leads(ids ...string) string {
	opaque := ""
	if v.input.OpaqueID != nil {
		opaque = *v.input.OpaqueID
	}
	fill := strings.NewReplacer("{{userRole}}", url.QueryEscape(v.role), "{{transactionId}}", v.id, "{{opaqueId}}", url.QueryEscape(opaque))
	for _, id := range ids {
		for _, one := range v.input.redirects {
			if one.ID == id {
				return fill.Replace(one.URL)
			}
		}
	}
	return ""
}

// end returns the address to which the person is led at the end.
func (v visit) end() string {
	switch {
	case v.status == statusError:
		return v.leads(redirectError, redirectDefault)
	case v.status == statusCompleted && v.result == passed:
		return v.leads(redirectPass, redirectDefault)
	case v.status == statusCompleted:
		return v.leads(redirectFail, redirectDefault)
	default:
		return v.leads(redirectDefault)
	}
}

// begin begins the session of a token that has none, if there is anything left to do.
func (s *Server) begin(v visit) visit {
	if v.session != "" || !v.active() {
		return v
	}
	t, err := s.store.change(v.id, func(t *transaction, now time.Time) error {
		i := slices.IndexFunc(t.tokens, func(one token) bool { return one.value == v.value })
		if t.tokens[i].session == "" && t.active() {
			t.tokens = slices.Clone(t.tokens)
			t.tokens[i].session = uuid.NewString()
			t.recordAction(visit{t, t.tokens[i], v.device}.event(), "session_started", now)
		}
		v.token = t.tokens[i]
		return nil
	})
	if err == nil { // if it is gone by now, it is shown as it was
		v.transaction = t
	}
	return v
}

// event returns an event with the session's data.
func (v visit) event() event {
	return event{SessionID: v.session, Role: v.role, ClientDevice: v.device}
}
