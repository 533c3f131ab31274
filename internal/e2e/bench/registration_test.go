package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// BenchmarkRegistration compares the processor time of one registration, both calls,
// relayed and made directly. It counts the time of every process that takes part: the
// client (with the authenticator in it), the platform and, if relayed, Countersign and
// Redis. A third side relays the two calls through the bare proxy, with one GET of Redis
// each, which shows the cost of a minimal relay.
//
//	total-ratio    everything that runs, relayed against directly
//	server-ratio   the same without the client, which does the same on both sides
//	relay-ratio    Countersign against the bare proxy, themselves alone
func BenchmarkRegistration(b *testing.B) {
	t := newBench(b)
	person := t.person(b).SignedIn("alice@sandbox")
	authorization := person.Header.Get("Authorization")
	proxy := t.bare(b, []holder{{authorization: authorization}}, func(string) string { return "/" }, nil)
	sides := map[string]*registrant{
		"ours":   t.registrant(b, t.address, t.Cmd.Process.Pid, authorization),
		"bare":   t.registrant(b, proxy.address, proxy.pid, authorization),
		"direct": t.registrant(b, strings.TrimPrefix(t.platform.Sandbox, "http://"), 0, ""),
	}
	figures := map[string][]float64{}
	note := func(name string, value float64) { figures[name] = append(figures[name], value) }
	for b.Loop() {
		for range registrationRounds {
			spent := map[string]processorTime{}
			for name, r := range sides { // in another order each time
				spent[name] = r.round(b, t)
			}
			ours, bare, direct := spent["ours"], spent["bare"], spent["direct"]
			note("total-ratio", (ours.servers()+ours.client)/(direct.servers()+direct.client))
			note("server-ratio", ours.servers()/direct.servers())
			note("relay-ratio", ours.relay/bare.relay)
			note("ours-cpu-µs", ours.relay*1e6)
			note("bare-cpu-µs", bare.relay*1e6)
			note("redis-cpu-µs", ours.redis*1e6)
			note("platform-cpu-µs", direct.platform*1e6)
			note("client-cpu-µs", direct.client*1e6)
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, values := range figures {
		mean, deviation := trimmed(values)
		b.ReportMetric(mean, name)
		if figure, isRatio := strings.CutSuffix(name, "-ratio"); isRatio {
			b.ReportMetric(deviation, figure+"-error")
		}
	}
}

// processorTime is the time that each process spent on one registration, in seconds.
type processorTime struct{ client, relay, redis, platform float64 }

func (p processorTime) servers() float64 { return p.relay + p.redis + p.platform }

// registrant registers authenticators at an address, through the process relay unless it
// is 0.
type registrant struct {
	http          *http.Client
	relay         int
	authorization string
	key           func() (create func(options string) (string, error))
}

// The number of concurrent registrants, of each one's registrations in a round, and of
// rounds. Every request names the person's existing registrations, so their list must
// stay short.
const (
	registrants        = 4
	registrationsEach  = 5
	registrationRounds = 24
)

func (t *bench) registrant(b *testing.B, address string, relay int, authorization string) *registrant {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: registrants, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	b.Cleanup(transport.CloseIdleConnections)
	host := address
	if authorization != "" {
		host = publicHost
	}
	transport.DisableCompression = true
	return &registrant{
		http: &http.Client{Transport: addressed{transport, host}}, relay: relay, authorization: authorization,
		key: func() func(string) (string, error) { return e2etest.NewPasskey(t.app()).Create },
	}
}

// addressed sets the Host of every request to the server's name.
type addressed struct {
	http.RoundTripper
	host string
}

func (a addressed) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Host = a.host
	return a.RoundTripper.RoundTrip(r)
}

// round makes so many registrations, and returns the time of one.
func (r *registrant) round(b *testing.B, t *bench) processorTime {
	b.Helper()
	if status := t.Post(t.platform.Sandbox+"/_manage/reset", "{}"); status >= 300 {
		b.Fatalf("reset: %d", status)
	}
	before := r.spent(b, t)
	var wait sync.WaitGroup
	for range registrants {
		wait.Go(func() {
			for range registrationsEach {
				if err := r.register(b.Context()); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	after, n := r.spent(b, t), float64(registrants*registrationsEach)
	return processorTime{
		client: (after.client - before.client) / n, relay: (after.relay - before.relay) / n,
		redis: (after.redis - before.redis) / n, platform: (after.platform - before.platform) / n,
	}
}

func (r *registrant) spent(b *testing.B, t *bench) processorTime {
	b.Helper()
	p := processorTime{
		client: cpuOf(b, os.Getpid()).Seconds(), platform: cpuOf(b, t.platform.Process.Pid).Seconds(), redis: cpuOf(b, t.redisPID).Seconds(),
	}
	if r.relay != 0 {
		p.relay = cpuOf(b, r.relay).Seconds()
	}
	return p
}

func (r *registrant) register(ctx context.Context) error {
	asked, err := r.call(ctx, "generate-fido-registration-request", map[string]string{"fidoProtocol": "FIDO2"})
	if err != nil {
		return err
	}
	response, err := r.key()(asked["registrationRequest"])
	if err != nil {
		return err
	}
	_, err = r.call(ctx, "register-fido-device", map[string]string{"fidoProtocol": "FIDO2", "registrationResponse": response, "requestID": asked["requestID"]})
	return err
}

// call makes one of the two calls and returns the texts of its answer.
func (r *registrant) call(ctx context.Context, name string, body map[string]string) (texts map[string]string, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://platform/users/alice@sandbox/"+name, strings.NewReader(string(data)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if r.authorization != "" {
		request.Header.Set("Authorization", r.authorization)
	}
	response, err := r.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d: %s", name, response.StatusCode, answer)
	}
	return texts, json.Unmarshal(answer, &texts)
}
