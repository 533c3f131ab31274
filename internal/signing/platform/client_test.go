package platform_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/sandbox"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// platform is a sandbox with a hook before each request.
type platform struct {
	t       *testing.T
	url     string
	handler http.Handler

	mu     sync.Mutex
	before func(*http.Request) // set by each
	now    int                 // requests under way
	most   int
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.now++
	p.most = max(p.most, p.now)
	if p.before != nil {
		p.before(r)
	}
	p.mu.Unlock()
	p.handler.ServeHTTP(w, r)
	p.mu.Lock()
	p.now--
	p.mu.Unlock()
}

// each sets the function that is called with each request that arrives from now on, one
// at a time; nil removes it. Requests that their client gave up on may still be under
// way: once each returns, the previous function is called no more.
func (p *platform) each(before func(*http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = before
}

// atOnce returns the highest number of requests that were under way at once.
func (p *platform) atOnce() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// start returns a sandbox and the client of its signing API.
func start(t *testing.T) (*platform, *signingapi.Client) {
	t.Helper()
	server, err := sandbox.New(sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	p := &platform{t: t, handler: server}
	web := httptest.NewServer(p)
	t.Cleanup(func() { server.Close(); web.Close() })
	p.url = web.URL
	return p, clientOf(t, web.URL)
}

func clientOf(t testing.TB, url string) *signingapi.Client {
	t.Helper()
	up, err := upstream.New(upstream.Options{Name: "signing", BaseURL: url, MaxResponse: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return signingapi.New(up, nil)
}

// do calls the platform directly, without the client and the hook.
func (p *platform) do(method, path string, body, out any) {
	p.t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(sent))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = "127.0.0.1:1" // The management is for this machine alone.
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	if w.Code >= 300 {
		p.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if out != nil {
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
			p.t.Fatal(err)
		}
	}
}

type object = map[string]any

func (p *platform) create(name string) (id string) {
	p.t.Helper()
	var made struct{ ID string }
	p.do("POST", "/api/packages", object{"name": name}, &made)
	return made.ID
}

func (p *platform) many(count int) { p.do("POST", "/_manage/packages", object{"count": count}, nil) }

// ids returns the ids of all packages, newest first.
func (p *platform) ids() []string {
	p.t.Helper()
	var all []string
	p.do("PUT", "/_manage/account", object{"maxPage": 1 << 20}, nil)
	var page struct{ Results []struct{ ID string } }
	p.do("GET", "/api/packages?fields=id&from=1&to=0", nil, &page)
	for _, r := range page.Results {
		all = append(all, r.ID)
	}
	p.do("PUT", "/_manage/account", object{"maxPage": 100}, nil)
	return all
}

func TestClient_PackageAndVisibility(t *testing.T) {
	p, c := start(t)
	id := p.create("A package")
	got, err := c.Package(t.Context(), id)
	if err != nil || got.ID != id || got.Name != "A package" || !strings.Contains(string(got.Raw()), `"name":"A package"`) {
		t.Fatalf("%+v, %v", got, err)
	}
	p.do("POST", "/api/packages/"+id+"/documents/visibility", object{"configurations": []object{{"documentUid": "default-consent", "roleUids": []string{}}}}, nil)
	visibility, err := c.Visibility(t.Context(), id)
	if err != nil || len(visibility.Configurations) != 1 || visibility.Configurations[0].Document != "default-consent" {
		t.Fatalf("%+v, %v", visibility, err)
	}
	for _, unknown := range []string{"nothing", "", "..", "a/../b"} {
		if _, err := c.Package(t.Context(), unknown); !fault.Is(err, fault.RequestNotFound) {
			t.Errorf("%q: %v", unknown, err)
		}
		if _, err := c.Visibility(t.Context(), unknown); !fault.Is(err, fault.RequestNotFound) {
			t.Errorf("visibility of %q: %v", unknown, err)
		}
	}
}

// answering returns a client whose platform answers everything alike.
func answering(t *testing.T, status int, body string) *signingapi.Client {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(web.Close)
	return clientOf(t, web.URL)
}

func TestTranslate_Refusals(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   fault.Key
	}{
		{400, `{"messageKey":"error.validation.payload.invalid","message":"No."}`, fault.SigningInvalid},
		{422, ``, fault.SigningInvalid},
		{400, `{"messageKey":"error.validation.packageActivation.unassignedRole"}`, fault.SigningState},
		{422, `{"messageKey":"error.validation.packageActivation"}`, fault.SigningState},
		{400, `{"message":"The package is not a draft."}`, fault.SigningState},
		{403, `{"messageKey":"error.forbidden.noPermission"}`, fault.SigningRefused},
		{403, `<html>`, fault.PlatformFailed},
		{403, ``, fault.PlatformFailed},
		{404, `{"code":404,"message":"No."}`, fault.RequestNotFound},
		{404, `{"messageKey":"error.notFound.packageNotFound"}`, fault.RequestNotFound},
		{410, `{"code":"410"}`, fault.RequestNotFound},
		{404, `{"code":null,"message":"no route"}`, fault.PlatformFailed},
		{404, `{"message":"no route"}`, fault.PlatformFailed},
		{410, `{}`, fault.PlatformFailed},
		{404, `<html>`, fault.PlatformFailed},
		{404, ``, fault.PlatformFailed},
		{400, `<html>`, fault.PlatformFailed},
		{409, `<html>`, fault.PlatformFailed},
		{413, `<html>`, fault.PlatformFailed},
		{406, ``, fault.SigningInvalid},
		{418, ``, fault.SigningRefused},
		{413, ``, fault.RequestTooLarge},
		{401, ``, fault.PlatformFailed},
		{429, ``, fault.PlatformUnavailable},
		{500, ``, fault.PlatformFailed},
		{302, ``, fault.PlatformFailed},
		{200, `[]`, fault.PlatformFailed},
		{200, ``, fault.PlatformFailed},
		{200, `{"id":`, fault.PlatformFailed},
		{200, `{}`, fault.PlatformFailed},
		{200, `{"id":"q","id":"p"}`, fault.PlatformFailed},
		{200, `{"id":"p","id":"q","roles":[{}]}`, fault.PlatformFailed},
	} {
		if _, err := answering(t, test.status, test.body).Package(t.Context(), "p"); !fault.Is(err, test.want) {
			t.Errorf("%d %s: %v, want %s", test.status, test.body, err, test.want)
		}
	}
}

// A package that names no id is the one that was asked for, wherever it is kept.
func TestPackage_WithoutID(t *testing.T) {
	for _, body := range []string{`{"roles":[{}]}`, ` {"roles":[{"id":"r"}],"id":null} `, `{"id":7,"roles":[{}]}`} {
		p, err := answering(t, http.StatusOK, body).Package(t.Context(), "p")
		if err != nil || p.ID != "p" || len(p.Roles) != 1 || !strings.HasSuffix(string(p.Raw()), `,"id":"p"}`) {
			t.Errorf("%s is %s with %s, %v", body, p.ID, p.Raw(), err)
		}
	}
}

func TestOperations_Complete(t *testing.T) {
	rows := map[string]bool{}
	for _, o := range signingapi.Operations() {
		row := o.Method + " " + o.Path
		if rows[row] || o.Name == "" || !strings.HasPrefix(o.Path, "/api/") || !fault.Known(o.Refusal) {
			t.Errorf("%s %s is not whole, or there twice", o.Name, row)
		}
		rows[row] = true
		for status, key := range o.Refusals {
			if !fault.Known(key) {
				t.Errorf("%s: %d is %q, which has no row", o.Name, status, key)
			}
		}
	}
}

func TestMessageKey_OnlyWellFormed(t *testing.T) {
	for body, want := range map[string]string{
		`{"messageKey":"error.notFound.packageNotFound"}`:              "error.notFound.packageNotFound",
		`{"messageKey":"error.a.b.c.d.e.f"}`:                           "error.a.b.c.d.e.f",
		`{"messageKey":"error.a.b.c.d.e.f.g"}`:                         "",
		`{"messageKey":"error.a"}`:                                     "",
		`{"messageKey":"error.a b.c"}`:                                 "",
		`{"messageKey":"error.` + strings.Repeat("a", 65) + `.b"}`:     "",
		`{"messageKey":7}`:                                             "",
		`nothing`:                                                      "",
		`{"messageKey":"error.validation.x\n"}`:                        "",
		`{"messageKey":"error.validation.packageActivation.anything"}`: "error.validation.packageActivation.anything",
	} {
		_, err := answering(t, http.StatusBadRequest, body).Package(t.Context(), "p")
		if got := fault.From(err).MessageKey; got != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
