package signing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// part is a part of a form: its headers, and its content.
type part struct{ headers, content string }

const formType = "multipart/form-data; esl-api-version=11.66.0; boundary=x-boundary"

// form returns parts as a multipart body.
func form(parts ...part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "--x-boundary\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n", strings.ReplaceAll(p.headers, "\n", "\r\n"), p.content)
	}
	return b.String() + "--x-boundary--\r\n"
}

func payload(text string) part        { return part{`name="payload"`, text} }
func attached(name, text string) part { return part{`name="file"; filename="` + name + `"`, text} }

// upload sends a form.
func upload(c *e2etest.Client, path, body string) e2etest.Reply {
	c.T.Helper()
	return c.Send("POST", path, body, "Content-Type", formType)
}

// paper returns a small PDF with the text.
func paper(text string) string {
	return strings.Replace(e2etest.Blank, "\n", "\n% "+text+"\n", 1)
}

func TestUploads_OrderAndRefusals(t *testing.T) {
	t.Parallel()
	spool := t.TempDir()
	app := e2etest.Boot(t, "MAX_UPLOAD=1MiB", "SPOOL_DIR="+spool)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	const two = `{"name":"a","documents":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}`
	t.Run("the payload first, and last", func(t *testing.T) {
		for _, body := range []string{
			form(payload(two), attached("Vertr?ge", paper("A")), attached("B", paper("B"))), form(attached("ü.pdf", paper("A")), attached("b.pdf", paper("B")), payload(two)),
		} {
			id := upload(alice, "/api/packages", body).Want(200).Text("id")
			path := "/api/packages/" + id + "/documents"
			upload(alice, path, form(attached("c", paper("C")), payload(`{"id":"c","name":"C"}`))).Want(200)
			for _, document := range []string{"a", "b", "c"} {
				file := alice.Send("GET", path+"/"+document+"/pdf", nil).Want(200)
				if want := paper(strings.ToUpper(document)); !bytes.HasPrefix(file.Body, []byte(want)) {
					t.Errorf("document %s is %q", document, file.Body)
				}
			}
		}
	})
	t.Run("what is refused makes nothing", func(t *testing.T) {
		big := strings.Repeat("x", 1<<20)
		e2etest.Untouched(t, app, func() {
			bad := upload(alice, "/api/packages", form(attached("a", paper("A")), attached("b", "\x00\x01"), payload(two))).Refused(400, "request.invalid")
			if got := e2etest.Pointers(t, bad); got != "/documents/1" {
				t.Errorf("it is refused at %s", got)
			}
			upload(alice, "/api/packages", form(attached("a", paper(big)), attached("b", paper("B")), payload(two))).Refused(413, "request.too-large")
			alice.Send("POST", "/api/packages", `{"name":"`+big+`"}`).Refused(413, "request.too-large")
			alice.Send("POST", "/api/packages", `name=a`, "Content-Type", "text/plain").Refused(415, "request.media-type")
		}, "createPackage")
	})
	t.Run("ownership stays", func(t *testing.T) { ownershipStays(t, app, alice) })
	if entries, err := os.ReadDir(spool); err != nil || len(entries) > 0 {
		t.Errorf("%v %v are left in the spool", entries, err)
	}
}

// ownershipStays tries to set data.countersign and the sender.
func ownershipStays(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	t.Helper()
	owner := func(id string) string {
		t.Helper()
		var p struct {
			Data struct {
				Countersign struct{ Owner string }
				Mine        string
			}
		}
		if err := json.Unmarshal(e2etest.AtPlatform(t, app, "GET", "/api/packages/"+id, nil).Body, &p); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(p.Data.Countersign.Owner + " " + p.Data.Mine)
	}
	id := alice.Send("POST", "/api/packages", `{"name":"a","data":{"mine":"1"}}`).Want(200).Text("id")
	path := "/api/packages/" + id
	for _, step := range []struct{ method, body, want string }{
		{"PUT", `{"data":{"mine":"2"}}`, "alice@sandbox 2"}, {"POST", `{"data":null}`, "alice@sandbox"}, {"PUT", `{"name":"b"}`, "alice@sandbox"},
	} {
		alice.Send(step.method, path, step.body).Want(200)
		if got := owner(id); got != step.want {
			t.Errorf("after %s %s it is %q, want %q", step.method, step.body, got, step.want)
		}
	}
	for body, pointer := range map[string]string{
		`{"name":"a","data":{"countersign":{"owner":"bob@sandbox"}}}`: "/data/countersign", `{"name":"a","sender":{"email":"b@b.co"}}`: "/sender",
	} {
		for _, path := range []string{"/api/packages", path, path + "/clone"} {
			if got := e2etest.Pointers(t, alice.Send("POST", path, body).Refused(400, "request.invalid")); got != pointer {
				t.Errorf("%s is refused at %s", body, got)
			}
		}
	}
	// A copy has the original's data unless it is given some, as it has at the platform.
	alice.Send("PUT", path, `{"data":{"mine":"3"}}`).Want(200)
	for body, want := range map[string]string{``: "alice@sandbox 3", `{"data":{"mine":"4"}}`: "alice@sandbox 4"} {
		if got := owner(alice.Send("POST", path+"/clone", body).Want(200).Text("id")); got != want {
			t.Errorf("a copy by %s is %q, want %q", body, got, want)
		}
	}
}

// recorder is a platform that records its requests.
type recorder struct {
	requests chan recorded
}

type recorded struct {
	header http.Header
	body   string
	broken bool
}

func (p *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		p.requests <- recorded{r.Header, string(body), err != nil}
	}
	fmt.Fprint(w, `{"id":"p1","status":"DRAFT","roles":[],"documents":[]}`)
}

// The platform gets the client's request, with the owner, and the payload first.
func TestUploads_RequestToPlatform(t *testing.T) {
	t.Parallel()
	platform := &recorder{requests: make(chan recorded, 1)}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	app := e2etest.Open(t, e2etest.Unopened(t, io.Discard, "SIGNING_URL="+server.URL, "SIGNING_API_KEY=key:=="))
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	const own = `"data":{"countersign":{"owner":"alice@sandbox","ownerName":"Alice Archer"}}`
	alice.Send("POST", "/api/packages", ` {"name" : "\u00fc", "x":1e2}`, "Content-Type", "application/json; esl-api-version=11.68.0", "Accept", "").Want(200)
	got := <-platform.requests
	if want := ` {` + own + `,"name" : "\u00fc", "x":1e2}`; got.body != want || got.header.Get("Authorization") != "Basic key:==" || got.header.Get("Accept") != "application/json" {
		t.Errorf("%q with %v, want %q", got.body, got.header, want)
	}
	alice.Send("POST", "/api/packages", form(part{"name=\"file\"; filename=\"ü;.pdf\"\nContent-Type: application/pdf", paper("A")}, payload(`{"name":"a","documents":[{}]}`)),
		"Content-Type", formType, "Accept", "text/html").Want(200)
	got = <-platform.requests
	_, parameters, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	want := strings.ReplaceAll(form(payload(`{`+own+`,"name":"a","documents":[{}]}`), part{"name=\"file\"; filename=\"ü;.pdf\"\nContent-Type: application/pdf", paper("A")}), "x-boundary", parameters["boundary"])
	if err != nil || got.broken || got.body != want || got.header.Get("Accept") != "text/html" {
		t.Errorf("%v %v\n%s\nwant\n%s", err, got.header, got.body, want)
	}
	long := strings.Repeat("x", 1<<20)
	for body, pointer := range map[string]string{
		form(payload(`{"name":"a","documents":[{},{}]}`), attached("a", paper(long)), attached("b", "\x00")): "/documents/1",
		form(payload(`{"name":"a","documents":[{},{}]}`), attached("a", paper(long))):                        "/documents",
		form(payload(`{"name":"a","documents":[{}]}`), attached("a", "text "+long+"\x00"+long)):              "/documents/0",
	} {
		if got := e2etest.Pointers(t, upload(alice, "/api/packages", body).Refused(400, "request.invalid")); got != pointer {
			t.Errorf("%.100q is refused at %s, want %s", body, got, pointer)
		}
		if got := <-platform.requests; !got.broken || strings.HasSuffix(strings.TrimSpace(got.body), "--") || !strings.Contains(got.body, long[:1000]) {
			t.Errorf("%.100q reaches the platform whole", body)
		}
	}
	half, _, _ := strings.Cut(form(payload(`{"name":"a","documents":[{}]}`), attached("a", paper(long)+"half")), "half")
	breakOff(t, alice, half)
	if got := <-platform.requests; !got.broken {
		t.Error("what a client broke off reaches the platform whole")
	}
	alice.Send("POST", "/api/packages", `{"name":"a"}`).Want(200) // the platform still works
	<-platform.requests
}

// breakOff sends the beginning of a form and hangs up.
func breakOff(t *testing.T, c *e2etest.Client, half string) {
	t.Helper()
	var dialer net.Dialer
	connection, err := dialer.DialContext(t.Context(), "tcp", c.App.Host())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /api/packages HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		c.App.Host(), c.Header.Get("Authorization"), formType, 2*len(half), half)
}
