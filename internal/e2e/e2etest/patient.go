package e2etest

import "net/http"

// Patient repeats a repeatable request that is answered 503 although the line is healthy:
// on a busy machine, Redis may be too slow for a test's preparations.
type Patient struct {
	http.RoundTripper
	Line *RedisLine
}

// Patiently makes the client send through a Patient, and returns it.
func (c *Client) Patiently(l *RedisLine) *Client {
	c.HTTP.Transport = &Patient{c.HTTP.Transport, l}
	return c
}

// RoundTrip implements http.RoundTripper.
func (p *Patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for tries := 0; ; tries++ {
		response, err := p.RoundTripper.RoundTrip(r)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || !p.Line.healthy() || tries == 10 {
			return response, err
		}
		response.Body.Close()
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
}
