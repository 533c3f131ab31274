package upstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// dripping returns a client of a platform, within the bubble of synctest, that answers with that
// head and a byte each second.
func dripping(t *testing.T, head string) *upstream.Client {
	t.Helper()
	c := client(t, "http://platform.example", upstream.Options{Timeout: 10 * time.Second})
	c.DialBy(func() net.Conn {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, err := io.WriteString(theirs, head)
			for err == nil {
				<-time.After(time.Second)
				_, err = theirs.Write([]byte(" "))
			}
		}()
		return ours
	})
	return c
}

// What is read as a whole has Options.Timeout as a whole; a file may take any time.
func TestReadAll_PlatformThatDrips(t *testing.T) {
	const endless = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
	for name, c := range map[string]struct {
		head string
		read func(*testing.T, *http.Response, error)
		took time.Duration
	}{
		"as a whole": {endless, func(t *testing.T, r *http.Response, err error) {
			if err == nil {
				_, err = upstream.ReadAll(r, 1<<20, nil)
			}
			if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter == 0 {
				t.Errorf("error = %v", err)
			}
		}, 10 * time.Second},
		"a file": {endless, func(t *testing.T, r *http.Response, err error) {
			if err == nil {
				_, err = io.CopyN(io.Discard, r.Body, 3600)
			}
			if err != nil {
				t.Error(err)
			}
		}, time.Hour},
		"a refusal, whose status is enough": {"HTTP/1.1 409 Conflict\r\nContent-Length: 100000\r\n\r\n", func(t *testing.T, _ *http.Response, err error) {
			if !fault.Is(err, fault.PlatformRefused) {
				t.Errorf("error = %v", err)
			}
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				up, begin := dripping(t, c.head), time.Now()
				r, err := up.Relay("getPackage", request(t, t.Context(), up.At("/x"), nil))
				c.read(t, r, err)
				if took := time.Since(begin); took != c.took {
					t.Errorf("it took %v", took)
				}
				if r != nil {
					r.Body.Close()
				}
				<-time.After(2 * time.Second) // the bubble's: the platform sees that its client has left
			})
		})
	}
}

func TestReadAll(t *testing.T) {
	errOther := errors.New("it is another's")
	for name, c := range map[string]struct {
		h     http.HandlerFunc
		check func([]byte) error
		want  fault.Key
	}{
		"whole":     {answering(200, "application/json", `{"a":1}`), nil, ""},
		"judged":    {answering(200, "application/json", `{"a":1}`), func([]byte) error { return nil }, ""},
		"another's": {answering(200, "application/json", `{"a":1}`), func([]byte) error { return errOther }, fault.PlatformFailed},
		"too long":  {answering(200, "application/json", strings.Repeat(" ", 101)), nil, fault.PlatformFailed},
		"cut":       {cut, nil, fault.PlatformFailed},
	} {
		t.Run(name, func(t *testing.T) {
			up := client(t, platform(t, c.h), upstream.Options{})
			r, err := up.Relay("getPackage", request(t, t.Context(), up.At("/x"), nil))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			body, err := upstream.ReadAll(r, 100, c.check)
			if c.want == "" && (err != nil || string(body) != `{"a":1}`) || c.want != "" && !fault.Is(err, c.want) {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
	// A client that hangs up meanwhile is no failure of the platform.
	ctx, cancel := context.WithCancel(t.Context())
	up := client(t, platform(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), upstream.Options{})
	r, err := up.Relay("getPackage", request(t, ctx, up.At("/x"), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cancel()
	if _, err := upstream.ReadAll(r, 100, nil); !fault.Is(err, fault.RequestCancelled) {
		t.Errorf("given up: %v", err)
	}
}
