package wire_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/sandbox/wire"
)

// echo is a service whose errors name the release.
type echo struct {
	calls []wire.Route
	wire.PlainErrors
}

func (s echo) Routes() []wire.Route     { return s.calls }
func (s echo) Management() []wire.Route { return nil }
func (s echo) Errors() wire.Errors      { return s }
func (s echo) Reset()                   {}

func (s echo) Releases() []string { return []string{"1", "2"} }

func (s echo) Body(e *wire.Error, c wire.ErrorContext) any {
	return map[string]string{c.Release: e.Message}
}

func platform(log *strings.Builder, calls ...wire.Route) *wire.Platform {
	return wire.NewPlatform(wire.Options{
		Clock: wire.NewClock(time.Now), Log: slog.New(slog.NewTextHandler(log, nil)), Canonical: strings.ToLower,
	}, echo{calls: calls})
}

func get(p *wire.Platform, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

// An operation's errors are of its own release, unless a fault names another.
func TestOperation_ErrorsOfItsRelease(t *testing.T) {
	var log strings.Builder
	refuse := func(*http.Request) (any, error) { return nil, wire.Conflict("no") }
	p := platform(&log,
		wire.Route{Operation: "usual", Method: http.MethodGet, Path: "/usual", Call: refuse},
		wire.Route{Operation: "newer", Method: http.MethodGet, Path: "/newer", Call: refuse, Release: "2"})
	p.Faults.Add(wire.Fault{Operation: "newer", Times: 1, Release: "1"})
	p.Faults.Add(wire.Fault{Operation: "usual", Times: 2, Release: "2"})
	for i, one := range []struct{ path, want string }{
		{"/newer", `{"1":"no"}`}, {"/newer", `{"2":"no"}`}, {"/usual", `{"2":"no"}`}, {"/usual", `{"2":"no"}`}, {"/usual", `{"":"no"}`},
	} {
		if w := get(p, one.path); w.Body.String() != one.want {
			t.Errorf("%d. %s: %s, want %s", i, one.path, w.Body, one.want)
		}
	}
}

// An unexpected error is a 500 without detail; the log has it.
func TestError_Unexpected(t *testing.T) {
	var log strings.Builder
	p := platform(&log, wire.Route{Method: http.MethodGet, Path: "/a", Call: func(*http.Request) (any, error) {
		return nil, errors.New("the disk is on fire")
	}})
	if w := get(p, "/a"); w.Code != http.StatusInternalServerError || w.Body.String() != `{"":"Internal error"}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "the disk is on fire") || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("log %q", log.String())
	}
}

func TestPlatform_Answers(t *testing.T) {
	for want, value := range map[string]any{`{"a":1}`: map[string]int{"a": 1}, "": nil} {
		var log strings.Builder
		status := http.StatusOK
		if value == nil {
			status = http.StatusNoContent
		}
		p := platform(&log, wire.Route{Method: http.MethodGet, Path: "/a", Call: func(*http.Request) (any, error) { return value, nil }})
		if w := get(p, "/a"); w.Code != status || w.Body.String() != want || log.String() != "" {
			t.Errorf("%d %q, want %q; log %q", w.Code, w.Body, want, log.String())
		}
	}
}

// A path that is not clean is unknown, and is not redirected to a known one. One trailing
// slash does not count.
func TestPath_NotCleaned(t *testing.T) {
	var log strings.Builder
	p := platform(&log, wire.Route{Operation: "a", Method: http.MethodGet, Path: "/a/{user}", Call: func(*http.Request) (any, error) { return nil, nil }})
	paths := map[string]int{
		"/a/x": 204, "/a/X%2Fy?q=%20": 204, "//a/x": 404, "/a//x": 404, "/b/../a/x": 404, "/a/./x": 404, "/a/x/": 204, "/a/x%2F": 204, "/a/x//": 404, "/a": 404, "/a/": 404, "/": 404,
	}
	for path, want := range paths {
		p.Journal.Clear()
		if w := get(p, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
		e := p.Journal.List()[0]
		sent, query, _ := strings.Cut(path, "?")
		if e.Path != sent || e.Query != query || e.Status != want || (e.Operation == "a") != (want == 204) {
			t.Errorf("%s: journal %+v", path, e)
		}
	}
}

// A route with its own credential check decides by itself, and the journal shows the
// result.
func TestRoute_OwnCredentialCheck(t *testing.T) {
	var log strings.Builder
	p := platform(&log, wire.Route{
		Operation: "own", Method: http.MethodGet, Path: "/own", Call: func(*http.Request) (any, error) { return "in", nil },
		Credential: func(r *http.Request) (string, error) { return wire.Authorization(r, "Bearer t", "no") },
	})
	for shown, want := range map[string]struct {
		credential string
		status     int
	}{"": {"none", 401}, "Bearer x": {"wrong", 401}, "Basic t": {"wrong", 401}, "Bearer t": {"ok", 200}} {
		r := httptest.NewRequest(http.MethodGet, "/own", nil)
		r.Header.Set("Authorization", shown)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		entries := p.Journal.List()
		if last := entries[len(entries)-1]; w.Code != want.status || last.Credential != want.credential {
			t.Errorf("%q: %d, %s", shown, w.Code, last.Credential)
		}
	}
}
