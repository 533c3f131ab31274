package platform_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification"
	"countersign/internal/verification/platform"
)

// storage is a platform that keeps data, and notes where it was asked.
type storage struct {
	*platform.Client
	url    string
	answer string // to all but requests for data
	asked  string // the last path and query
}

func newStorage(t *testing.T, below string, paths config.Paths) *storage {
	t.Helper()
	s := &storage{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = r.URL.RequestURI()
		if strings.Contains(r.URL.Path, "/data") {
			fmt.Fprint(w, "%PDF-")
			return
		}
		fmt.Fprint(w, s.answer)
	}))
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Options{Name: "verification", BaseURL: server.URL + below})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	s.Client, s.url = platform.New(platform.Options{Upstream: up, Paths: paths}), server.URL
	return s
}

const (
	document = "sfs://storage/acme/transactions/" + one + "/docs/AuditTrailDocument_1/1"
	escaped  = "sfs%3A%2F%2Fstorage%2Facme%2Ftransactions%2F" + one + "%2Fdocs%2FAuditTrailDocument_1%2F1"
)

// The link of an audit trail is an address in the storage, a URL or a path, alone or as a
// member, and is read below the API's own address.
func TestTrail_Links(t *testing.T) {
	for _, below := range []string{"", "/acme"} {
		s := newStorage(t, below, nil)
		data := below + "/api/transactions/" + one + "/data?url="
		for answer, want := range map[string]string{
			document:                                   data + escaped,
			`"` + document + `"`:                       data + escaped,
			`{"url":"` + document + `"}`:               data + escaped,
			" {\"url\":\"" + document + "\"}\n":        data + escaped,
			strings.Replace(document, "sfs", "SFS", 1): data + "SFS" + escaped[3:],
			s.url + data + document:                    data + document,
			`{"url":"` + s.url + data + escaped + `","status":"READY"}`:                        data + escaped,
			"/api/transactions/" + one + "/data?url=" + document:                               data + document,
			below + "/api/transactions/" + strings.ToUpper(one) + "/data/AuditTrailDocument_1": below + "/api/transactions/" + strings.ToUpper(one) + "/data/AuditTrailDocument_1",
		} {
			s.answer = answer
			trail, err := s.GenerateAuditTrail(t.Context(), one, false)
			if err != nil {
				t.Errorf("%q: %v", answer, err)
				continue
			}
			file, err := s.Trail(t.Context(), one, trail.URL, http.Header{})
			if err != nil {
				t.Errorf("%q: %v", answer, err)
				continue
			}
			if body, err := io.ReadAll(file.Response.Body); err != nil || string(body) != "%PDF-" || s.asked != want {
				t.Errorf("%q: asked for %s, want %s; %q, %v", answer, s.asked, want, body, err)
			}
			file.Response.Body.Close()
		}
	}
}

// Another host is never followed, nor another transaction's address.
func TestTrail_LinksElsewhere(t *testing.T) {
	s := newStorage(t, "/acme", nil)
	data := "/acme/api/transactions/" + one + "/data?url="
	for _, link := range []string{
		"", "https://elsewhere.example/x", "//elsewhere.example/x", "mailto:a@b.example", "sfs://", "sfs://x/y", "sfs:x",
		strings.Replace(s.url, "://", "://u:p@", 1) + data + document, s.url + "/other/api/transactions/" + one + "/data", s.url + ".elsewhere.example/acme/x",
		strings.Replace(s.url, "http", "https", 1) + data + document, strings.Replace(document, one, other, 1), document + "/transactions/" + other,
		s.url + data + strings.Replace(escaped, one, other, 1), s.url + strings.Replace(data, one, other, 1) + document, strings.Replace(document, "/docs/", "/../", 1),
		"/api/transactions/" + other + "/data", "/api/%2e%2e/x", "/api/../x", document + strings.Repeat("x", 4096),
	} {
		s.asked, s.answer = "", `{"url":"`+link+`"}`
		if _, err := s.GenerateAuditTrail(t.Context(), one, false); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%q: %v", link, err)
		}
		s.asked = ""
		if _, err := s.Trail(t.Context(), one, link, nil); !fault.Is(err, fault.PlatformFailed) || s.asked != "" {
			t.Errorf("%q: %v, asked for %s", link, err, s.asked)
		}
	}
	for _, answer := range []string{"", "{}", `{"url":null}`, "null", "[]", "<html>", "7", "READY"} {
		s.answer = answer
		if trail, err := s.GenerateAuditTrail(t.Context(), one, false); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%q: %v, %v", answer, trail, err)
		}
	}
}

// A picture lies in the storage too; what the settings say is its path.
func TestPicture_Addresses(t *testing.T) {
	s := newStorage(t, "", config.Paths{"getTransactionData": "/api/storage/{transaction}?at={url}&raw=true"})
	s.answer = `{"verified_images":[{"image_a":"` + document + `"},{"image_b":{"url":"` + s.url + `/api/x/data"}},{"image_c":7},{"image_d":null}]}`
	images, err := s.Images(t.Context(), one, one)
	if err != nil || len(images) != 2 || images[0] != (platform.Image{Name: "image_a", Address: document}) || images[1].Address != s.url+"/api/x/data" {
		t.Fatalf("%v, %v", images, err)
	}
	for link, want := range map[string]string{
		document:         "/api/storage/" + one + "?at=" + escaped + "&raw=true",
		"sfs://db/x.png": "/api/storage/" + one + "?at=sfs%3A%2F%2Fdb%2Fx.png&raw=true",
	} {
		if got, err := s.DataPath(one, link); err != nil || got != want {
			t.Errorf("%s: %s, %v", link, got, err)
		}
	}
	if _, err := s.Picture(t.Context(), other, images[0], nil); !fault.Is(err, fault.PlatformFailed) {
		t.Errorf("another transaction's: %v", err)
	}
}

// However another transaction's picture is spelled, it is not followed.
func TestPicture_AnotherTransaction(t *testing.T) {
	s := newStorage(t, "", nil)
	for _, link := range []string{
		document + "/../" + other, strings.Replace(document, one, other, 1), "sfs://db/Transactions/" + other + "/a", "sfs://db/transactions//" + other + "/a",
		`sfs://db/transactions\` + other + `\a`, "sfs://db/transactions%2F" + other + "/a", "sfs://db/%2574ransactions/" + other, "sfs://db/%25252525252E/a", "sfs://db/%zz",
	} {
		if path, err := s.DataPath(one, link); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %s, %v", link, path, err)
		}
	}
}

// What tells that a mark was taken back begins with the documented words and is no refusal.
func TestUnmark_Events(t *testing.T) {
	s := newStorage(t, "", nil)
	for event, want := range map[string]bool{
		"Transaction Recovery - Accepted": true, "Transaction Recovery - Transaction Unmarked": true, "Transaction Recovery -": true,
		"Transaction Recovery - Transaction Not Found": false, "Transaction Recovery - ID field error": false,
		"Transaction Erase Request - Accepted": false, "": false, "Accepted": false,
	} {
		s.answer = `{"transactions":[{"transaction_id":"` + one + `","unmarking_event":"` + event + `"}]}`
		if done, err := s.Unmark(t.Context(), []string{one}); err != nil || done[one] != want {
			t.Errorf("%q: %v, %v", event, done, err)
		}
	}
	s.answer = `{"transactions":[{"transaction_id":"` + one + `","marking_event":"Transaction Recovery - Accepted"}]}`
	if done, err := s.Mark(t.Context(), verification.Erasure{Days: 1, IDs: []string{one}}); err != nil || done[one] {
		t.Errorf("a mark: %v, %v", done, err)
	}
}
