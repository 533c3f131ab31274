package signing_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// flow is a request whose body the test sends step by step.
type flow struct {
	*io.PipeWriter
	answer chan answered
}

// answered is the answer to a flow; zero without an answer.
type answered struct {
	status int
	key    string
	retry  string
}

// begin begins a request with the first part of its body.
func begin(t *testing.T, c *e2etest.Client, path, contentType, head string, headers ...string) *flow {
	t.Helper()
	from, to := io.Pipe()
	f := &flow{to, make(chan answered, 1)}
	t.Cleanup(func() { to.Close() })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.App.URL()+path, from)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.Header.Clone()
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := *c.HTTP
	client.Transport = http.DefaultTransport // a checked client reads the body first
	go func() {
		var a answered
		if response, err := client.Do(r); err == nil {
			var problem struct{ Key string }
			_ = json.NewDecoder(response.Body).Decode(&problem)
			response.Body.Close()
			a = answered{response.StatusCode, problem.Key, response.Header.Get("Retry-After")}
		}
		f.answer <- a
		from.Close()
	}()
	if _, err := io.WriteString(to, head); err != nil && !errors.Is(err, io.ErrClosedPipe) { // answered already
		t.Fatal(err)
	}
	return f
}

const (
	inParts  = "multipart/form-data; boundary=x"
	partHead = "--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n" + `{"name":"a","documents":[{"id":"a","name":"A"}]}` +
		"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n"
	partTail = e2etest.Blank + "\r\n--x--\r\n"
)

// shownTo returns the part of a form that says whom it was shown to.
func shownTo(c *e2etest.Client) string {
	return "--x\r\nContent-Disposition: form-data; name=\"shown_to\"\r\n\r\n" + c.ShownTo() + "\r\n"
}

// longJSON returns the beginning of a package in JSON, of more than a MiB.
func longJSON() string {
	return `{"name":"a","documents":[{"id":"a","name":"A","base64Content":"` + strings.Repeat("A", 1<<20)
}

// inFlight waits until that many uploads are under way.
func inFlight(t *testing.T, app *e2etest.App, count string) {
	t.Helper()
	e2etest.Eventually(t, count+" uploads are under way", func() bool {
		return e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, "countersign_uploads_in_flight "+count+"\n")
	})
}

// A person may have three uploads under way, of any kind; others have their own, and
// requests that are not uploads do not count.
func TestUpload_LimitedPerUser(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	again, page := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("alice@sandbox")
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	under := []*flow{
		begin(t, alice, "/api/packages", inParts, partHead),
		begin(t, page, "/packages/new", inParts, shownTo(page)+"--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA"),
		begin(t, again, "/api/packages", "application/json", longJSON()),
	}
	inFlight(t, app, "3")
	for _, more := range []*flow{
		begin(t, alice, "/api/packages", inParts, ""),
		begin(t, page, "/packages/new", inParts, "", "Accept", "application/json"),
		begin(t, page, "/verifications/new", inParts, "", "Accept", "application/json"),
		begin(t, again, "/api/transaction", "application/json", `{"documents":[{"id":"a","content":"`+strings.Repeat("A", 1<<20)),
		begin(t, again, "/api/packages", "application/json", longJSON()),
	} {
		more.Close() // the server reads on for a while
		if got := <-more.answer; got.status != http.StatusTooManyRequests || got.key != "request.rate" || got.retry == "" {
			t.Errorf("one more is answered %v", got)
		}
	}
	refused := alice.Send("POST", "/api/packages", `{"name":"`+strings.Repeat(" ", 1<<20)+`"}`)
	if refused.Refused(http.StatusTooManyRequests, "request.rate"); !strings.HasPrefix(refused.Text("detail"), "Three of your uploads are under way already.") {
		t.Errorf("it is told %s", refused.Body)
	}
	create(alice, lease("Small", "DRAFT", "bob@sandbox.example"))
	small := begin(t, alice, "/api/packages", "application/json", `{"name":"In pieces"`)
	theirs := begin(t, bob, "/api/packages", inParts, partHead)
	inFlight(t, app, "4")
	for _, one := range []struct {
		*flow
		tail string
	}{{small, `}`}, {theirs, partTail}, {under[0], partTail}} {
		if _, err := io.WriteString(one, one.tail); err != nil {
			t.Error(err)
		}
		one.Close()
		if got := <-one.answer; got.status != http.StatusOK {
			t.Errorf("it is answered %v", got)
		}
	}
	next := begin(t, alice, "/api/packages", inParts, partHead+partTail)
	next.Close()
	if got := <-next.answer; got.status != http.StatusOK {
		t.Errorf("in the place of one that has ended: %v", got)
	}
	for _, gone := range under[1:] {
		gone.CloseWithError(io.ErrUnexpectedEOF)
		<-gone.answer
	}
	inFlight(t, app, "0")
}

// An upload that creeps ends, of any kind; nothing is created, and its key and its place
// are free again.
func TestUpload_SlowEnds(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "SESSION_IDLE=12h")
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	browser, signedOut := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app)
	id := create(alice, lease("Lease", "DRAFT", "bob@sandbox.example"))
	keyed := []string{"Idempotency-Key", "one"}
	file := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + e2etest.Blank
	for name, start := range map[string]func() *flow{
		"with a key": func() *flow { return begin(t, alice, "/api/packages", inParts, partHead, keyed...) },
		"in JSON":    func() *flow { return begin(t, alice, "/api/packages", "application/json", longJSON()) },
		"small JSON": func() *flow { return begin(t, alice, "/api"+page(id)+"/roles", "application/json", `{"name":`) },
		"the page's": func() *flow {
			return begin(t, browser, "/packages/new", inParts, shownTo(browser)+file, "Accept", "application/json")
		},
		"of no session": func() *flow { return begin(t, signedOut, "/packages/new", inParts, file, "Accept", "application/json") },
	} {
		e2etest.Untouched(t, app, func() {
			f := start()
			e2etest.Eventually(t, name+" ends", func() bool { // the read may not have begun when the clock moves
				clock.Advance(31 * time.Second)
				_, err := io.WriteString(f, "A")
				return err != nil || len(f.answer) > 0
			})
			if got := <-f.answer; got.status != http.StatusRequestTimeout || got.key != "request.too-slow" {
				t.Errorf("%s is answered %v", name, got)
			}
		})
		inFlight(t, app, "0")
	}
	again := begin(t, alice, "/api/packages", inParts, partHead+partTail, keyed...)
	again.Close()
	if got := <-again.answer; got.status != http.StatusOK {
		t.Errorf("under the same key it is answered %v", got)
	}
}
