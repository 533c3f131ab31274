package openapitest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// unrepeatable is a body that can be read only once, like a stream.
type unrepeatable struct{ io.Reader }

func TestTransport_RequestUnchangedAndChecked(t *testing.T) {
	for name, body := range map[string]func(string) io.Reader{
		"repeatable":   func(s string) io.Reader { return strings.NewReader(s) },
		"unrepeatable": func(s string) io.Reader { return unrepeatable{strings.NewReader(s)} },
	} {
		for sent, complaints := range map[string]int{
			`{"title": "Emma", "pages": 474}`:   0,
			`{"title": "Emma", "pages": "474"}`: 1,
		} {
			t.Run(name+" "+sent, func(t *testing.T) {
				arrived := make(chan string, 1)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					got, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					arrived <- string(got)
					w.WriteHeader(http.StatusNoContent)
				}))
				defer server.Close()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/books/emma", body(sent))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				var said notes
				answer, err := newChecker(t).Client(server.Client(), said.take).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if got := <-arrived; got != sent {
					t.Errorf("arrived: %q", got)
				}
				if len(said.all()) != complaints {
					t.Errorf("said %q", said.all())
				}
			})
		}
	}
}

func TestTransport_ResponseBreaksOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", problemJSON)
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"key": `)
	}))
	defer server.Close()
	var said notes
	c := newChecker(t)
	answer, err := c.Client(server.Client(), said.take).Get(server.URL + "/books/emma")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if string(got) != `{"key": ` || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the client was handed %q, %v", got, err)
	}
	if len(said.all()) != 0 || len(c.Unmet()) != len(told) {
		t.Errorf("said %q, unmet %v", said.all(), c.Unmet())
	}
}
