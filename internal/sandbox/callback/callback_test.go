package callback_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/logtest"
	"countersign/internal/sandbox/callback"
)

// receiver answers with these statuses, then with 204, and passes on every request.
func receiver(t *testing.T, statuses ...int) (url string, requests <-chan string) {
	t.Helper()
	waiting, seen := make(chan int, len(statuses)), make(chan string, 100)
	for _, status := range statuses {
		waiting <- status
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen <- strings.TrimSpace(r.URL.RequestURI() + " " + string(body) + " " + r.Header.Get("Authorization"))
		select {
		case status := <-waiting:
			w.WriteHeader(status)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, seen
}

func begin(t *testing.T, log io.Writer) *callback.Sender {
	t.Helper()
	s := callback.NewSender(slog.New(slog.NewTextHandler(log, nil)))
	s.Reset()
	t.Cleanup(s.Close)
	return s
}

// A notice that is not accepted is repeated and delays the others; one that is refused
// for good is dropped.
func TestSender_NoticesInOrder(t *testing.T) {
	var log logtest.Log
	url, requests := receiver(t, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusNoContent, http.StatusForbidden)
	s := begin(t, &log)
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url + "/a?key=k", Authorization: "Basic b"}, Body: []byte("1")})
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url + "/a?key=k"}, Body: []byte("2")})
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url + "/b"}, Body: []byte("3")})
	for i, want := range []string{"/a?key=k 1 Basic b", "/a?key=k 1 Basic b", "/a?key=k 1 Basic b", "/a?key=k 1 Basic b", "/a?key=k 2", "/b 3"} {
		if got := <-requests; got != want {
			t.Errorf("%d. %q, want %q", i, got, want)
		}
	}
	if text := log.String(); !strings.Contains(text, "status=503") || strings.Contains(text, "key=k") {
		t.Errorf("the log says %s", text)
	}
}

// A closed sender accepts nothing until it begins again.
func TestSender_CloseEndsDeliveries(t *testing.T) {
	url, requests := receiver(t, http.StatusServiceUnavailable)
	s := begin(t, io.Discard)
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url}, Body: []byte("1")})
	s.Close()
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url}, Body: []byte("closed")})
	s.Reset()
	s.Send(callback.Notice{Receiver: callback.Receiver{URL: url}, Body: []byte("last")})
	for got := range requests {
		if got == "/ last" {
			return
		}
		if got != "/ 1" { // it may have been on its way
			t.Errorf("%q after the end", got)
		}
	}
}
