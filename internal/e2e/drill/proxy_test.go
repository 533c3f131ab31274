package drill_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

const (
	// unanswered marks an answer of the proxy itself: no node gave one.
	unanswered = "Drill-Unanswered"
	// answeredBy names the node that gave an answer, and notBy one that is to be avoided.
	answeredBy, notBy = "Drill-Answered-By", "Drill-Not-By"
)

// proxy is a load balancer in front of the nodes: it probes /readyz of each and sends
// requests to the ready ones in turn. If none is ready, it uses the one that was ready
// last. It never sends a request a second time.
type proxy struct {
	*httptest.Server
	transport *http.Transport

	mu     sync.Mutex
	nodes  []*backend
	turn   int
	probes int // number of finished rounds of probes
}

// backend is one node as the proxy knows it.
type backend struct {
	url, admin *url.URL
	ready      bool
	readyAt    time.Time // when it was last ready
}

func newProxy(t testing.TB, nodes int, every time.Duration) *proxy {
	t.Helper()
	p := &proxy{transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for range nodes {
		p.nodes = append(p.nodes, &backend{})
	}
	p.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(p.pick(r.In.Header.Get(notBy)))
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		ModifyResponse: func(r *http.Response) error {
			r.Header.Set(answeredBy, r.Request.URL.Host)
			return nil
		},
		Transport: p.transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set(unanswered, err.Error())
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var probing sync.WaitGroup
	probing.Go(func() { p.probe(ctx, every) })
	t.Cleanup(func() {
		cancel()
		probing.Wait()
		p.Close()
		p.transport.CloseIdleConnections()
	})
	return p
}

// point sets the address of the node of this number; it is not ready before its first
// probe.
func (p *proxy) point(number int, public, admin string) {
	at, err := url.Parse(public)
	if err != nil {
		panic(err) // a banner named it
	}
	of, err := url.Parse(admin)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	*p.nodes[number] = backend{url: at, admin: of}
}

// pick returns the node whose turn it is, and avoids the one that listens at that address if
// another is ready.
func (p *proxy) pick(avoided string) *url.URL {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.nodes[0]
	for tries := range 2 * len(p.nodes) {
		p.turn++
		node := p.nodes[p.turn%len(p.nodes)]
		if node.ready && (tries >= len(p.nodes) || node.url.Host != avoided) {
			return node.url
		}
		if node.readyAt.After(last.readyAt) {
			last = node
		}
	}
	return last.url
}

// allReady reports whether every node is ready.
func (p *proxy) allReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, node := range p.nodes {
		if !node.ready {
			return false
		}
	}
	return true
}

// round returns the number of finished rounds of probes.
func (p *proxy) round() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.probes
}

func (p *proxy) probe(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var asking sync.WaitGroup
		for number := range p.nodes {
			asking.Go(func() { p.ask(ctx, number) })
		}
		asking.Wait()
		p.mu.Lock()
		p.probes++
		p.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *proxy) ask(ctx context.Context, number int) {
	p.mu.Lock()
	node := *p.nodes[number]
	p.mu.Unlock()
	if node.admin == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, node.admin.String()+"/readyz", nil)
	if err != nil {
		panic(err)
	}
	response, err := p.transport.RoundTrip(request)
	ready := err == nil && response.StatusCode == http.StatusOK
	if err == nil {
		response.Body.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.nodes[number]; now.admin == node.admin {
		now.ready = ready
		if ready {
			now.readyAt = time.Now()
		}
	}
}
