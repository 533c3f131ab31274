package explain

import (
	"net/http"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// call is a call of the platform that was made for the request.
type call struct{ operation, outcome, id string }

// calls returns the calls of the request, in their order.
func (s *story) calls() (all []call) {
	for _, one := range s.request["calls"] {
		parts := append(strings.SplitN(one, ":", 3), "", "")
		all = append(all, call{shown(parts[0]), shown(parts[1]), shown(parts[2])})
	}
	return all
}

// words returns the call for people.
func (c call) words() string {
	said := map[string]string{
		upstream.OutcomeCancelled:   "cancelled, because the client hung up",
		upstream.OutcomeCircuitOpen: "not sent, because earlier calls failed (circuit breaker)",
		upstream.OutcomeTimeout:     "no response in time",
		upstream.OutcomeUntrusted:   "refused, because a certificate is not trusted: the platform's or Countersign's",
		upstream.OutcomeBroken:      "response incomplete, too long, or for another request",
		upstream.OutcomeUnreachable: "no connection",
		upstream.OutcomeInternal:    "not sent: its path does not lead to the platform",
	}[c.outcome]
	if said == "" {
		said = "status " + c.outcome
	}
	return c.operation + ": " + said + after(", correlation ID ", c.id)
}

// ids returns the platform's own ids of the calls.
func (s *story) ids() (ids []string) {
	for _, one := range s.request["correlation"] {
		ids = append(ids, shown(one))
	}
	return ids
}

// failing are the errors whose share in all requests has a separate alert.
var failing = []fault.Key{fault.SessionUnavailable, fault.ServerUnavailable, fault.ServerInternal, fault.PlatformUnavailable, fault.PlatformFailed}

// alerts returns the alerts of deploy/prometheus/alerts.yaml that count what happened.
func (s *story) alerts() (names []string) {
	key := fault.Key(s.request.text("key"))
	for name, counts := range map[string]bool{
		"CountersignFailing":              slices.Contains(failing, key),
		"CountersignInternalErrors":       key == fault.ServerInternal,
		"CountersignRateLimited":          key == fault.RequestRate,
		"CountersignSignInsFailing":       strings.HasSuffix(s.request.text("route"), "/login") && fault.Known(key) && fault.Lookup(key).Status >= http.StatusInternalServerError,
		"CountersignUntranslatedRefusals": s.request.text("untranslated") == "true",
		"CountersignPlatformFailing": slices.ContainsFunc(s.calls(), func(c call) bool {
			failed := []string{upstream.OutcomeTimeout, upstream.OutcomeUnreachable, upstream.OutcomeCircuitOpen, upstream.OutcomeBroken}
			return len(c.outcome) == 3 && c.outcome[0] == '5' || slices.Contains(failed, c.outcome)
		}),
		"CountersignPlatformRefusesUs": slices.ContainsFunc(s.calls(), func(c call) bool {
			return slices.Contains([]string{"401", "403", upstream.OutcomeUntrusted}, c.outcome)
		}),
	} {
		if counts {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// meanings are parts of causes, and what they mean, as docs/operate/troubleshooting.md has them.
var meanings = []struct{ part, means string }{
	{"not all slots have a master", "A part of the Redis cluster has no master."},
	{"CLUSTERDOWN", "A part of the Redis cluster has no master."},
	{"connection pool timeout", "No connection to Redis was free for 800 ms: too many requests at once, or a slow Redis."},
	{"context deadline exceeded", "A call exceeded its timeout: Redis 800 ms, the platform COUNTERSIGN_UPSTREAM_TIMEOUT."},
	{"OOM command not allowed", "Redis is full and refuses writes."},
	{"READONLY", "COUNTERSIGN_REDIS_URL leads to a replica. Replicas refuse writes."},
	{"NOREPLICAS", "Redis refuses writes: fewer replicas are in sync than it requires."},
	{"MISCONF", "Redis cannot write to its disk."},
	{"WRONGPASS", "The password of Redis is wrong."},
	{"NOAUTH", "The password of Redis is missing."},
	{"NOPERM", "The Redis user lacks the permission for a command, a key or a channel."},
	{"unknown command", "Redis does not know a command, or it is renamed there."},
	{"connection refused", "No server listens at the address: it is down, or the setting is wrong."},
	{"connection reset by peer", "A connection broke during a call."},
	{"i/o timeout", "The server hangs, or a firewall drops packets."},
	{"the response is about another", "The platform, or a gateway before it, mixed up responses. No user saw it."},
}

// meaning returns what the cause means; "" where it says it itself.
func meaning(r record) string {
	cause := r.text("cause")
	for _, m := range meanings {
		if strings.Contains(cause, m.part) {
			return m.means
		}
	}
	return ""
}
