package conformance_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
	"countersign/internal/conformance"
	identityapi "countersign/internal/identity/platform"
	signingapi "countersign/internal/signing/platform"
	verificationapi "countersign/internal/verification/platform"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// elsewhere returns paths at /moved/ for every operation, with its name and its
// placeholders.
func elsewhere() (paths config.Paths, defaults map[string]config.Path) {
	paths, defaults = config.Paths{}, map[string]config.Path{}
	for _, p := range slices.Concat(identityapi.Paths(), signingapi.Paths(), verificationapi.Paths()) {
		paths[p.Operation] = "/moved/" + p.Operation
		for _, name := range placeholder.FindAllString(p.Default, -1) {
			paths[p.Operation] += "/" + name
		}
		defaults[p.Operation] = p
	}
	return paths, defaults
}

// stays matches calls that have no replaceable path although they look like one that has.
var stays = regexp.MustCompile(`^(GET|POST) /api/packages/[^/]+/documents/signed_documents$`)

// moving serves platform with every operation at its other path, and nothing at its
// default path.
func moving(t *testing.T, platform http.Handler) http.Handler {
	_, defaults := elsewhere()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		operation, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/moved/"), "/")
		if p, known := defaults[operation]; known && slices.Contains(p.Methods, r.Method) {
			values := strings.Split(rest, "/")
			var query string
			r.URL.RawPath, query, _ = strings.Cut(placeholder.ReplaceAllStringFunc(p.Default, func(string) string {
				next := values[0]
				values = values[1:]
				return next
			}), "?")
			r.URL.RawQuery = strings.Trim(query+"&"+r.URL.RawQuery, "&")
			r.URL.Path, _ = url.PathUnescape(r.URL.RawPath)
		} else if atDefault(r, defaults) {
			t.Errorf("%s %s is where it is by default", r.Method, r.URL.Path)
		}
		platform.ServeHTTP(w, r)
	})
}

func atDefault(r *http.Request, defaults map[string]config.Path) bool {
	path := r.URL.EscapedPath()
	for _, p := range defaults {
		template, _, _ := strings.Cut(p.Default, "?")
		pattern := "^" + placeholder.ReplaceAllString(template, `[^/]+`) + "$"
		if slices.Contains(p.Methods, r.Method) && regexp.MustCompile(pattern).MatchString(path) {
			return !stays.MatchString(r.Method + " " + path)
		}
	}
	return false
}

// A platform with other paths for all operations conforms once its paths are set.
func TestConformance_PlatformWithOtherPaths(t *testing.T) {
	address := serveBehind(t, func(platform http.Handler) http.Handler { return moving(t, platform) })
	paths, _ := elsewhere()
	with := envsOf(t, address)
	with.signing.Paths, with.verification.Paths = paths, paths
	tell := func(r conformance.Result) {
		for _, finding := range r.Findings {
			t.Errorf("%s, %s: %s", r.API, r.Case, finding)
		}
	}
	conformance.Identity(t.Context(), identityapi.Options{Upstream: connect(t, address, "Basic sandbox-key"), Paths: paths}, with.identity, tell)
	conformance.Signing(t.Context(), http.DefaultClient, with.signing, tell)
	conformance.Verification(t.Context(), http.DefaultClient, with.verification, tell)
}

// A platform of an older release is told from one without the operation: its path is found.
func TestConformance_PathOfAnOlderRelease(t *testing.T) {
	address := serveBehind(t, func(platform http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/orchestration-commands-v2"):
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"status":404,"error":"Not Found","message":"Not Found"}`))
				return
			case strings.HasSuffix(r.URL.Path, "/orchestration-commands"):
				r.URL.Path += "-v2"
			}
			platform.ServeHTTP(w, r)
		})
	})
	var needs []string
	conformance.Identity(t.Context(), identityapi.Options{Upstream: connect(t, address, "Basic sandbox-key")}, envsOf(t, address).identity, func(r conformance.Result) {
		for _, need := range r.Settings {
			needs = append(needs, need.Name+"="+need.Value)
		}
	})
	if !slices.Contains(needs, "PLATFORM_PATHS=orchestrationCommands: /orchestration-commands") {
		t.Errorf("it calls for %q", needs)
	}
}

// A platform whose ids cannot stand in a path is found not to conform.
func TestConformance_IDsUnfitForPaths(t *testing.T) {
	for _, id := range []string{"", ".", "..", "a//b", "{x}"} {
		address := serveBehind(t, func(platform http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.Path == "/api/packages" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = w.Write([]byte(`{"id":"` + id + `"}`))
					return
				}
				platform.ServeHTTP(w, r)
			})
		})
		var found []string
		conformance.Signing(t.Context(), http.DefaultClient, envsOf(t, address).signing, func(r conformance.Result) { found = append(found, r.Findings...) })
		if len(found) == 0 || strings.Contains(strings.Join(found, "\n"), "nil pointer") {
			t.Errorf("%q: %q", id, found)
		}
	}
}
