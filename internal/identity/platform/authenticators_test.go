package platform_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

func TestUsedAt_OnlyIfUnambiguous(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	passkey := func(id string, after time.Duration) identityapi.Authenticator {
		return identityapi.Authenticator{ID: id, Protocol: identityapi.FIDO2, LastUsedAt: at.Add(after)}
	}
	for name, test := range map[string]struct {
		list []identityapi.Authenticator
		want string
	}{
		"none":             {nil, ""},
		"the one":          {[]identityapi.Authenticator{passkey("a", time.Second)}, "a"},
		"a slower clock":   {[]identityapi.Authenticator{passkey("a", -9*time.Second)}, "a"},
		"used since":       {[]identityapi.Authenticator{passkey("a", time.Hour)}, ""},
		"one of several":   {[]identityapi.Authenticator{passkey("a", -time.Hour), passkey("b", time.Second)}, "b"},
		"two at a time":    {[]identityapi.Authenticator{passkey("a", time.Second), passkey("b", 2*time.Second)}, ""},
		"never used":       {[]identityapi.Authenticator{{ID: "a", Protocol: identityapi.FIDO2}}, ""},
		"an app's beside":  {[]identityapi.Authenticator{{ID: "u", Protocol: identityapi.UAF11, LastUsedAt: at}, passkey("a", 0)}, "a"},
		"an app's alone":   {[]identityapi.Authenticator{{ID: "u", Protocol: identityapi.UAF11, LastUsedAt: at}}, ""},
		"others elsewhere": {[]identityapi.Authenticator{passkey("a", 30*time.Second), passkey("b", 0)}, "b"},
	} {
		if got, ok := identityapi.UsedAt(test.list, at); got.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got.ID, ok, test.want)
		}
	}
}

// The names of the list's members are not public: those that are known from elsewhere do.
func TestAuthenticators_MembersNamedOtherwise(t *testing.T) {
	for _, body := range []string{
		`{"registrations":[{"registrationID":"1","name":"Blue key","type":"FIDO2"}]}`,
		`{"fidoRegistrations":[{"id":"1","registrationName":"Blue key","fidoProtocol":"FIDO2"}],"count":1}`,
		`{"items":[{"registrationID":"1","alias":"Blue key","type":"FIDO2"}],"total":1,"more":true}`,
	} {
		c, _ := says(t, http.StatusOK, body)
		list, err := c.Authenticators(t.Context(), alice)
		if err != nil || len(list) != 1 || list[0].ID != "1" || list[0].Name != "Blue key" || list[0].Protocol != identityapi.FIDO2 {
			t.Errorf("%s: %+v, %v", body, list, err)
		}
	}
}

// Rows of another user are dropped and logged, however the platform names the user.
func TestAuthenticators_RowsOfOthers(t *testing.T) {
	rows := map[string]struct{ fold, exact bool }{
		`"userID":"alice","domain":"sandbox"`: {true, true}, `"userID":"alice@sandbox"`: {true, true}, `"user":"alice@sandbox"`: {true, true},
		`"userID":"Alice"`: {true, false}, `"userID":"alice","domain":"Sandbox"`: {true, false}, `"name":"no user"`: {true, true},
		`"userID":"bob","domain":"sandbox"`: {}, `"userID":"alice","domain":"bank"`: {}, `"userID":"alice@bank"`: {}, `"user":"bob"`: {}, `"domain":"bank"`: {},
		`"userID":"alice2"`: {},
	}
	for row, want := range rows {
		for _, exact := range []bool{false, true} {
			var log strings.Builder
			c := clientOf(t, &platform{status: http.StatusOK, body: `{"registrations":[{"registrationID":"1",` + row + `}]}`},
				identityapi.Options{ExactCase: exact, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			list, err := c.Authenticators(t.Context(), alice)
			mine := map[bool]bool{false: want.fold, true: want.exact}[exact]
			if err != nil || (len(list) == 1) != mine || strings.Contains(log.String(), "rows=1") == mine {
				t.Errorf("%s, exact %t: %v, %v, log %q", row, exact, list, err, log.String())
			}
			if _, err := c.Authenticator(t.Context(), alice, "1"); (err == nil) != mine || err != nil && !fault.Is(err, fault.AuthenticatorUnknown) {
				t.Errorf("%s, exact %t: found: %v", row, exact, err)
			}
		}
	}
}

// pager is a platform whose list has so many rows.
type pager struct {
	rows, most int // most is the platform's own limit of a page
	total      bool
	deaf       bool // it does not know offset
	asked      []string
}

func (p *pager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked = append(p.asked, r.URL.RawQuery)
	var offset, limit int
	_, _ = fmt.Sscan(r.FormValue("offset"), &offset)
	_, _ = fmt.Sscan(r.FormValue("limit"), &limit)
	if p.deaf {
		offset = 0
	}
	var rows []string
	for i := offset; i < min(offset+min(limit, p.most), p.rows); i++ {
		rows = append(rows, fmt.Sprintf(`{"registrationID":"%s%d","type":"%s"}`, r.FormValue("type"), i, r.FormValue("type")))
	}
	total := ""
	if p.total {
		total = fmt.Sprintf(`,"total":%d`, p.rows)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"registrations":[%s]%s}`, strings.Join(rows, ","), total)
}

func TestAuthenticators_Pages(t *testing.T) {
	for name, test := range map[string]struct {
		pager pager
		path  string
		want  int
		calls int
	}{
		"none":                     {pager{most: 100}, "", 0, 1},
		"one page":                 {pager{rows: 99, most: 100}, "", 99, 1},
		"a full page":              {pager{rows: 100, most: 100}, "", 100, 2},
		"three pages":              {pager{rows: 250, most: 100}, "", 250, 3},
		"shorter pages with total": {pager{rows: 50, most: 20, total: true}, "", 50, 3},
		"no offset":                {pager{rows: 150, most: 100, deaf: true}, "", 100, 2},
		"both protocols":           {pager{rows: 3, most: 100}, "/r/{user}?kind={type}&type={type}", 6, 2},
	} {
		p := test.pager
		paths := map[string]string{}
		if test.path != "" {
			paths["listFidoRegistrations"] = test.path
		}
		list, err := clientOf(t, &p, identityapi.Options{Paths: paths}).Authenticators(t.Context(), alice)
		if err != nil || len(list) != test.want || len(p.asked) != test.calls {
			t.Errorf("%s: %d authenticators by %q: %v", name, len(list), p.asked, err)
		}
	}
	p := pager{rows: 5000, most: 100}
	if list, err := clientOf(t, &p, identityapi.Options{}).Authenticators(t.Context(), alice); !fault.Is(err, fault.PlatformFailed) {
		t.Errorf("%d authenticators of 5000: %v", len(list), err)
	}
}

// removals is a platform that records the removal of a UAF authenticator.
type removals struct {
	deregister, remove int
	says               string // with an error
	asked              []string
}

func (p *removals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.asked = append(p.asked, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodGet:
		_, _ = w.Write([]byte(`{"registrations":[{"registrationID":"1","type":"UAF11","aaid":"FFFF#0001","keyID":"a2V5"},{"registrationID":"2","type":"FIDO2"}]}`))
	case strings.HasSuffix(r.URL.Path, "/deregister-fido-uaf-keys"):
		w.WriteHeader(p.deregister)
		if p.deregister >= http.StatusBadRequest {
			_, _ = w.Write([]byte(p.says))
			return
		}
		_, _ = w.Write([]byte(`{"deregistrationRequest":"[{}]","uafStatusCode":1200,"message":"m"}`))
	default:
		w.WriteHeader(p.remove)
		if p.remove >= http.StatusBadRequest {
			_, _ = w.Write([]byte(p.says))
		}
	}
}

// The key of a UAF authenticator is deregistered, then its registration removed.
func TestRemoveAuthenticator_UAF(t *testing.T) {
	const deregister, remove = "POST /v1/users/alice@sandbox/deregister-fido-uaf-keys", "DELETE /v1/fido-registrations/1"
	for name, test := range map[string]struct {
		deregister, remove int
		asked              []string
		message            string
		failure            fault.Key
	}{
		"both":                        {200, 204, []string{deregister, remove}, "[{}]", ""},
		"no such key":                 {404, 204, []string{deregister, remove}, "", ""},
		"a key that cannot":           {409, 204, []string{deregister, remove}, "", ""},
		"it goes with its key":        {200, 404, []string{deregister, remove}, "[{}]", ""},
		"it is gone":                  {404, 404, []string{deregister, remove}, "", fault.AuthenticatorUnknown},
		"the platform is away":        {503, 204, []string{deregister}, "", fault.PlatformUnavailable},
		"the platform fails":          {500, 204, []string{deregister}, "", fault.PlatformFailed},
		"the platform fails half-way": {200, 500, []string{deregister, remove}, "", fault.PlatformFailed},
	} {
		p := &removals{deregister: test.deregister, remove: test.remove, says: `{"message":"m"}`}
		c := clientOf(t, p, identityapi.Options{})
		one, err := c.Authenticator(t.Context(), alice, "1")
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.RemoveAuthenticator(t.Context(), one)
		if !slices.Equal(p.asked[1:], test.asked) || out.DeregistrationRequest != test.message || (err == nil) != (test.failure == "") || err != nil && !fault.Is(err, test.failure) {
			t.Errorf("%s: %q, %+v, %v", name, p.asked, out, err)
		}
	}
	for _, page := range []string{"<html>404</html>", "", "{}"} { // of a gateway: the key may still be there
		p := &removals{deregister: 404, remove: 204, says: page}
		c := clientOf(t, p, identityapi.Options{})
		one, err := c.Authenticator(t.Context(), alice, "1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.RemoveAuthenticator(t.Context(), one); !fault.Is(err, fault.PlatformFailed) || slices.Contains(p.asked, remove) {
			t.Errorf("%s: %q, %v", page, p.asked, err)
		}
	}
	p := &removals{remove: 204}
	c := clientOf(t, p, identityapi.Options{})
	if one, err := c.Authenticator(t.Context(), alice, "2"); err != nil {
		t.Error(err)
	} else if _, err := c.RemoveAuthenticator(t.Context(), one); err != nil || slices.Contains(p.asked, deregister) {
		t.Errorf("a passkey: %q, %v", p.asked, err)
	}
}

// A platform that tells names apart by case may spell the page's own name as it likes.
func TestAuthenticators_OwnName(t *testing.T) {
	for body, good := range map[string]bool{
		`{"userID":"Alice","domain":"Sandbox","registrations":[]}`: true,
		`{"userID":"alice@SANDBOX","registrations":[]}`:            true,
		`{"userID":"bob","registrations":[]}`:                      false,
		`{"userID":"alice","domain":"other","registrations":[]}`:   false,
	} {
		server := httptest.NewServer(&platform{status: http.StatusOK, body: body})
		if _, err := at(t, server.URL, identityapi.Options{ExactCase: true}).Authenticators(t.Context(), alice); (err == nil) != good {
			t.Errorf("%s: %v", body, err)
		}
		server.Close()
	}
}
