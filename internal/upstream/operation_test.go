package upstream_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

var removal = upstream.Operation{
	Name: "remove", Method: http.MethodDelete, Path: "/users/{user}/keys/{key}", Optional: []string{"user"},
	Refusals: map[int]fault.Key{http.StatusNotFound: fault.AuthenticatorUnknown},
}

func TestReplaceable_PathsFromSettings(t *testing.T) {
	one := upstream.Operation{Name: "list", PathName: "listOne", Path: "/keys/{key}", Method: http.MethodGet}
	post := removal
	post.Method = http.MethodPost
	all := upstream.Replaceable([]upstream.Operation{removal, {Name: "list", Path: "/keys", Method: http.MethodGet}, one, post, {Name: "elsewhere"}})
	var got []string
	for _, p := range all {
		got = append(got, fmt.Sprintf("%s %v %s", p.Operation, p.Methods, p.Default))
	}
	if want := []string{"remove [DELETE POST] /users/{user}/keys/{key}", "list [GET] /keys", "listOne [GET] /keys/{key}"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	paths := config.Paths{"listOne": "/k/{key}", "remove": "/r/{key}"}
	if removal.At(paths).Path != "/r/{key}" || one.At(paths).Path != "/k/{key}" || one.At(nil).Path != "/keys/{key}" {
		t.Errorf("%s, %s, %s", removal.At(paths).Path, one.At(paths).Path, one.At(nil).Path)
	}
	for template, fine := range map[string]bool{
		"/users/{user}/keys/{key}": true, "/keys/{key}": true, "/{key}/of/{user}": true, "/k/{key}.json": true, "/..k/{key}": true, "/%41/{key}": true,
		"/users/{user}/keys": false, "/{key}/{other}": false, "/{}/{key}": false, "{key}": false, "": false, "/{key": false, "/{key}}": false,
		"/../{key}": false, "/./{key}": false, "/{key}/..": false, "/%2e%2e/{key}": false, "/%2E/{key}": false, "/a%2f..%2f/{key}": false, "/%zz/{key}": false,
		"/{key}?x=1": false, "/{key}#x": false, "/a b/{key}": false, `/..\{key}`: false, "//evil.example/{key}": false, "https://evil.example/{key}": false,
		"/{key}\n": false, "/{Key}": false,
	} {
		if err := all[0].Check(template); (err == nil) != fine {
			t.Errorf("%q: %v", template, err)
		}
	}
}

// A path that may have a query takes one with placeholders, and needs one that says whose it
// is.
func TestReplaceable_Query(t *testing.T) {
	list := upstream.Operation{
		Name: "list", Method: http.MethodGet, Path: "/keys?userID={userID}&domain={domain}",
		Optional: []string{"user", "userID", "domain", "type"}, Naming: []string{"user", "userID"}, Query: true,
	}
	check := upstream.Replaceable([]upstream.Operation{list})[0].Check
	for template, fine := range map[string]bool{
		list.Path: true, "/users/{user}/keys": true, "/keys?user={user}": true, "/keys?userID={userID}": true, "/keys?u={userID}&d={domain}&t={type}": true,
		"/{domain}/keys?who={userID}&all=true": true, "/keys?userID={userID}%40x": true,
		"/keys": false, "/keys?domain={domain}": false, "/keys?type={type}": false, "/keys?user={user}&key={key}": false, "/users/{user}/keys?": false,
		"/keys?user={user}?x=1": false, "/keys?user={user}#x": false, "/keys?user={user}&offset=1": false, "/keys?user={user}&limit=5": false,
		"/keys?user={user} x": false, "/../keys?user={user}": false, "//evil.example/keys?user={user}": false, "?user={user}": false, "/keys?user={user}&%zz": false,
		"/keys?user={user};x": false,
	} {
		if err := check(template); (err == nil) != fine {
			t.Errorf("%q: %v", template, err)
		}
	}
	path, ok := upstream.Fill("/k/{domain}?u={userID}&t={type}", map[string]string{"userID": "a&b=c+d e/../#?%", "domain": "x/y", "type": "T"})
	if want := "/k/x%2Fy?u=a%26b%3Dc%2Bd+e%2F..%2F%23%3F%25&t=T"; path != want {
		t.Errorf("%q, %t, want %q", path, ok, want)
	}
}

func TestFill_EscapesValues(t *testing.T) {
	for _, tt := range []struct{ user, key, want string }{
		{"alice@sandbox", "1", "/users/alice@sandbox/keys/1"},
		{"{key}", "a/b?c#d%2F", "/users/%7Bkey%7D/keys/a%2Fb%3Fc%23d%252F"},
		{"", "1", ""}, {"alice", "", ""}, {"alice", "..", ""}, {".", "1", ""}, {"alice", "a/../b", ""}, {"alice", `..\b`, ""},
	} {
		path, ok := upstream.Fill(removal.Path, map[string]string{"user": tt.user, "key": tt.key})
		if ok != (tt.want != "") || ok && path != tt.want {
			t.Errorf("%q, %q: %q, %t", tt.user, tt.key, path, ok)
		}
	}
	if path, ok := upstream.Fill("/keys/{key}", map[string]string{"key": "1", "user": ".."}); path != "/keys/1" || !ok {
		t.Errorf("a value that nobody asked for counts: %q, %t", path, ok)
	}
	if _, ok := upstream.Fill("/keys/{key}", nil); ok {
		t.Error("a value that is missing is none")
	}
}

func TestByStatus_ListedAndUnlisted(t *testing.T) {
	if got := removal.ByStatus(http.StatusNotFound); got != fault.AuthenticatorUnknown {
		t.Errorf("404 is %s", got)
	}
	if got := removal.ByStatus(http.StatusGone); got != fault.PlatformRefused {
		t.Errorf("410 is %s", got)
	}
}
