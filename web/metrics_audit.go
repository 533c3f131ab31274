package web

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/handlers/identity"
	"countersign/internal/audit"
	"countersign/internal/fault"
)

// auditMetrics count the events of the audit trail.
type auditMetrics struct {
	events, signIns, registrations, conditional, bindings *prometheus.CounterVec

	lost, unmet prometheus.Counter
}

func newAuditMetrics() auditMetrics {
	m := auditMetrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_audit_events_total",
			Help: "Events of the audit trail, by name.",
		}, []string{"event"}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_audit_events_lost_total",
			Help: "Audit events that could not be written; the log has them.",
		}),
		unmet: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_signatures_unmet_total",
			Help: "Signatures without the required evidence.",
		}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_sign_ins_total",
			Help: "Completed sign-ins and step-ups, by method (password, otp, fido2, uaf, push, unknown) and outcome.",
		}, []string{"method", "outcome"}),
		registrations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_registrations_total",
			Help: "Completed registrations of authenticators, by protocol (FIDO2, UAF11) and outcome.",
		}, []string{"protocol", "outcome"}),
		conditional: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_conditional_passkeys_total",
			Help: "Passkeys created by password managers: begun, made, refused, removed (by the user within a day).",
		}, []string{"outcome"}),
		bindings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_browser_bindings_total",
			Help: "Bound browser sessions: registered, refreshed or refused. Reasons: challenge (old or used), proof (broken or of another key), session (another, or bound before), cookie (a change without the bound cookie).",
		}, []string{"outcome", "reason"}),
	}
	for _, labels := range bindings {
		m.bindings.WithLabelValues(labels...)
	}
	m.begin()
	return m
}

// begin has every series there from the start: what appears with 1 has not increased, and what
// is not there is not 0.
func (m auditMetrics) begin() {
	for _, kind := range audit.Kinds() {
		m.events.WithLabelValues(string(kind))
	}
	for _, outcome := range []string{"accepted", "refused", "limited", "failed"} {
		for _, method := range append([]string{unknown}, methods...) {
			m.signIns.WithLabelValues(method, outcome)
		}
		for _, protocol := range append([]string{unknown}, protocols...) {
			m.registrations.WithLabelValues(protocol, outcome)
		}
	}
	m.conditional.WithLabelValues("begun")
	for _, outcome := range conditionalOutcomes {
		m.conditional.WithLabelValues(outcome)
	}
}

func (m auditMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.events, m.lost, m.unmet, m.signIns, m.registrations, m.conditional, m.bindings}
}

// Audit counts an event; it is the Observe function of the trail.
func (m auditMetrics) Audit(e audit.Event) {
	m.events.WithLabelValues(string(e.Kind)).Inc()
	if outcome := conditionalOutcomes[e.Kind]; outcome != "" && e.Method == audit.MethodConditional {
		m.conditional.WithLabelValues(outcome).Inc()
	}
	switch e.Kind {
	case audit.SigningUnmet:
		m.unmet.Inc()
	case audit.SignedIn, audit.SteppedUp, audit.SignInRefused:
		m.signIns.WithLabelValues(knownMember(e.Method, methods), outcomeOf(e.Reason)).Inc()
	case audit.AuthenticatorRegistered, audit.AuthenticatorRefused:
		m.registrations.WithLabelValues(knownMember(e.Protocol, protocols), outcomeOf(e.Reason)).Inc()
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

// unknown stands for the methods and protocols that have no label value.
const unknown = "unknown"

// knownMember returns value if known contains it, or unknown, so that invented values
// do not become series.
func knownMember(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	return unknown
}

// conditionalOutcomes are what became of a passkey that nobody asked for, by its event.
var conditionalOutcomes = map[audit.Kind]string{
	audit.AuthenticatorRegistered: "made", audit.AuthenticatorRefused: "refused", audit.AuthenticatorRemoved: "removed",
}

// ConditionalBegun counts a request for a passkey that nobody asked for. What is neither made
// nor refused afterwards, the browser did not make.
func (m auditMetrics) ConditionalBegun() { m.conditional.WithLabelValues("begun").Inc() }

// bindings are what becomes of browsers' proofs, each as outcome and reason.
var bindings = map[string][]string{
	identity.BindingRegistered: {"registered", ""}, identity.BindingRefreshed: {"refreshed", ""},
	identity.BindingOldChallenge: {"refused", "challenge"}, identity.BindingNoProof: {"refused", "proof"},
	identity.BindingOtherSession: {"refused", "session"}, identity.BindingNoCookie: {"refused", "cookie"},
}

// Binding counts what became of a browser's proof.
func (m auditMetrics) Binding(seen string) { m.bindings.WithLabelValues(bindings[seen]...).Inc() }

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
