package upstream_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
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
// status and so many of size bytes each second.
func dripping(t *testing.T, status string, size, rate int) *upstream.Client {
	t.Helper()
	c := client(t, "http://platform.example", upstream.Options{Timeout: 10 * time.Second})
	c.DialBy(func() net.Conn {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, err := fmt.Fprintf(theirs, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n", status, size)
			for left := size; err == nil && left > 0; left -= rate {
				<-time.After(time.Second)
				_, err = theirs.Write(bytes.Repeat([]byte(" "), min(rate, left)))
			}
		}()
		return ours
	})
	return c
}

// What is read as a whole has Options.Timeout as a whole; a file may take any time.
func TestReadAll_PlatformThatDrips(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		read   func(*testing.T, *http.Response, error)
		took   time.Duration
	}{
		"as a whole": {"200 OK", func(t *testing.T, r *http.Response, err error) {
			if err == nil {
				_, err = upstream.ReadAll(r, 1<<20, nil)
			}
			if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter == 0 {
				t.Errorf("error = %v", err)
			}
		}, 10 * time.Second},
		"a file that is needed whole": {"200 OK", func(t *testing.T, r *http.Response, err error) {
			if err == nil {
				_, err = whole(r, 1<<20)
			}
			if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter == 0 {
				t.Errorf("error = %v", err)
			}
		}, 10 * time.Second},
		"a file": {"200 OK", func(t *testing.T, r *http.Response, err error) {
			if err == nil {
				_, err = io.CopyN(io.Discard, r.Body, 3600)
			}
			if err != nil {
				t.Error(err)
			}
		}, time.Hour},
		"a refusal, whose status is enough": {"409 Conflict", func(t *testing.T, _ *http.Response, err error) {
			if !fault.Is(err, fault.PlatformRefused) {
				t.Errorf("error = %v", err)
			}
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				up, begin := dripping(t, c.status, 100_000, 1), time.Now()
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

// whole reads a file as a whole.
func whole(r *http.Response, limit int64) ([]byte, error) {
	file, err := upstream.File(r, limit)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// A large file may take longer than Options.Timeout, as long as it comes fast enough.
func TestFile_Rate(t *testing.T) {
	const size = 8 << 20
	for rate, took := range map[int]time.Duration{256 << 10: 32 * time.Second, 160 << 10: 52 * time.Second, 127 << 10: 0} {
		synctest.Test(t, func(t *testing.T) {
			up, begin := dripping(t, "200 OK", size, rate), time.Now()
			r, err := up.Relay("getDocumentPdf", request(t, t.Context(), up.At("/x"), nil))
			if err != nil {
				t.Fatal(err)
			}
			content, err := whole(r, size)
			elapsed := time.Since(begin)
			switch {
			case took == 0 && (!fault.Is(err, fault.PlatformUnavailable) || elapsed != 10*time.Second):
				t.Errorf("%d bytes a second: %v after %v", rate, err, elapsed)
			case took > 0 && (err != nil || len(content) != size || elapsed != took):
				t.Errorf("%d bytes a second: %d bytes after %v, %v", rate, len(content), elapsed, err)
			}
			<-time.After(2 * time.Second) // the bubble's: the platform sees that its client has left
		})
	}
}

func TestFile_TooLongOrCut(t *testing.T) {
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		text string
		want fault.Key
	}{
		"whole":    {answering(200, "application/pdf", strings.Repeat("x", 100)), strings.Repeat("x", 100), ""},
		"too long": {answering(200, "application/pdf", strings.Repeat("x", 101)), strings.Repeat("x", 100), fault.PlatformFailed},
		"cut":      {cut, "", fault.PlatformFailed},
	} {
		up := client(t, platform(t, c.h), upstream.Options{})
		r, err := up.Relay("getDocumentPdf", request(t, t.Context(), up.At("/x"), nil))
		if err != nil {
			t.Fatal(err)
		}
		text, err := whole(r, 100)
		if c.want == "" && err != nil || c.want != "" && !fault.Is(err, c.want) || c.text != "" && string(text) != c.text {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestReadAll_TooLongOrCut(t *testing.T) {
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
