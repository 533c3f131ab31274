package web

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/internal/audit"
	"countersign/internal/fault"
)

// auditMetrics count the events of the audit trail.
type auditMetrics struct {
	events, signIns, registrations *prometheus.CounterVec
	lost, unmet                    prometheus.Counter
}

func newAuditMetrics() auditMetrics {
	return auditMetrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_audit_events_total",
			Help: "Events of the audit trail, by their name.",
		}, []string{"event"}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_audit_events_lost_total",
			Help: "Events that could not be written to the audit trail; the log has them.",
		}),
		unmet: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_signatures_unmet_total",
			Help: "Signatures without the proofs that were asked of the signer.",
		}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_sign_ins_total",
			Help: "Sign-ins that came to an end, by method and outcome.",
		}, []string{"method", "outcome"}),
		registrations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_registrations_total",
			Help: "Registrations of authenticators that came to an end, by protocol, outcome, and whether somebody asked for it.",
		}, []string{"protocol", "outcome", "by"}),
	}
}

func (m auditMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.events, m.lost, m.unmet, m.signIns, m.registrations}
}

// Audit counts an event; it is the Observe function of the trail.
func (m auditMetrics) Audit(e audit.Event) {
	m.events.WithLabelValues(string(e.Kind)).Inc()
	switch e.Kind {
	case audit.SigningUnmet:
		m.unmet.Inc()
	case audit.SignedIn, audit.SteppedUp, audit.SignInRefused:
		m.signIns.WithLabelValues(knownMember(e.Method, methods), outcomeOf(e.Reason)).Inc()
	case audit.AuthenticatorRegistered, audit.AuthenticatorRefused:
		m.registrations.WithLabelValues(knownMember(e.Protocol, protocols), outcomeOf(e.Reason), wayOf(e.Method)).Inc()
	}
}

// AuditLost counts an event that could not be written; it is the Lost function of the
// trail.
func (m auditMetrics) AuditLost() { m.lost.Inc() }

// The methods and protocols that have their own label values.
var (
	methods   = []string{"password", "otp", "fido2", "uaf", "push"}
	protocols = []string{"FIDO2", "UAF11"}
)

// knownMember returns value if known contains it, or "unknown", so that invented values
// do not become series.
func knownMember(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	return "unknown"
}

// wayOf returns how a registration began, by its event's method.
func wayOf(method string) string {
	if method == "conditional" {
		return method
	}
	return "person"
}

// outcomeOf returns the metrics' outcome for an event's reason.
func outcomeOf(reason string) string {
	switch {
	case reason == "":
		return "accepted"
	case !fault.Known(fault.Key(reason)):
		return "refused"
	}
	switch status := fault.Lookup(fault.Key(reason)).Status; {
	case status == http.StatusTooManyRequests:
		return "limited"
	case status >= http.StatusInternalServerError:
		return "failed"
	}
	return "refused"
}
