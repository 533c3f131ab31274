package app_test

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/goleak"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/leaktest"
	"countersign/internal/redisdb/redistest"
)

// answers sends the request without checking it against the OpenAPI document, and checks
// that the answer is no server error and reveals nothing. It reports whether the answer
// said that Redis was too late, as on a busy machine.
func answers(g e2etest.Guarded, t testing.TB, c *e2etest.Client, request *http.Request, last bool) (late bool) {
	t.Helper()
	what := fmt.Sprintf("%s %.100s", request.Method, request.URL.Opaque)
	response, err := c.HTTP.Transport.RoundTrip(request)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	r := e2etest.Reply{T: t, What: what, Status: response.StatusCode, Header: response.Header, Body: body}
	g.TellsNothing(t, what, r)
	if late = r.Status == http.StatusServiceUnavailable; r.Status >= 500 && (last || !late) {
		t.Errorf("%s: status %d for what a client sent: %.200q", what, r.Status, body)
	}
	return late
}

// allRoutes returns all routes of the engine.
func allRoutes(g e2etest.Guarded, t testing.TB) gin.RoutesInfo {
	t.Helper()
	engine, ok := g.Handler().(interface{ Routes() gin.RoutesInfo })
	if !ok {
		t.Fatalf("no way to read the routes of a %T", g.Handler())
	}
	return engine.Routes()
}

// segments are values for any part of a path, as written there.
var segments = []string{
	"me", "alice@sandbox", "bob@sandbox", "nobody@sandbox", "alice", "%00", "%ff%fe", "..", "%2e%2e%2f%2e%2e", "a%2fb", "%0d%0aX-Y:%20z",
	"%27%20OR%201=1--", "%3Cscript%3E", "%7B%7B.%7D%7D", "$%7B7*7%7D", "%F0%9F%94%91", "-1", "null", strings.Repeat("a", 3000), "a;b=c", "a,b", "%C3%A4@sandbox",
}

// bodies are bodies for any call.
var bodies = func() []string {
	deep := strings.Repeat("[", 30000)
	all := []string{
		``, ` `, `null`, `true`, `0`, `-`, `1e999`, `"x"`, `[]`, `[{}]`, `{}`, `{`, `}`, `{"":""}`, `{"a":`, `{"a":1,}`, `{} {}`, `{"a":1}x`, "\x00", "\xff\xfe{\x00}\x00", "\ufeff{}",
		deep, strings.Repeat(`{"a":`, 10000), `{"fidoProtocol":` + deep + strings.Repeat("]", 30000) + `}`, `{"a":"` + strings.Repeat("x", 60000) + `"}`,
		`{"a":"` + strings.Repeat("x", 300000) + `"}`, `{"fidoProtocol":"` + "\xff\xfe" + `"}`, `{"fidoProtocol":"\ud800"}`, `{"fidoProtocol":"\u0000"}`,
		`{"fidoProtocol":"FIDO2","fidoProtocol":"FIDO2"}`, `{"fidoProtocol":1e400}`, `{"` + strings.Repeat("k", 20000) + `":1}`,
		`{"__proto__":{},"constructor":{"prototype":{}}}`, `{"fidoProtocol":"FIDO2' OR '1'='1"}`, `{"fidoProtocol":"{{.}}","displayName":"${x}"}`,
		`action=x`, `action=%zz`, `step=user&user=%00`, `user=alice@sandbox&password=` + strings.Repeat("x", 60000), `action=remove&confirm=yes&id=..%2f..`, `action=rename&name=x&id=..`,
		`action=rename&id=x&name=%ff`, `action=end-session&id=%00`, `action=language&language=xx-%00`, strings.Repeat("a&", 30000), `a;b`, `--x` + "\r\n\r\n",
	}
	members := []string{
		"fidoProtocol", "displayName", "attestation", "authenticatorSelection", "registrationResponse", "requestID", "credentials", "orchestrationDelivery", "cddc", "loginMessage",
		"userVerification", "authenticationMessage", "language", "name", "data", "userID", "domain", "staticPassword", "activationType", "command", "sessionID", "objectType", "clientIP", "timeout",
	}
	for _, value := range []string{`null`, `0`, `[]`, `{}`, `""`, `"x"`, `[[]]`, `{"passKey":[]}`, `{"fido":{"fidoProtocol":"UAF11","authenticationResponse":"[]"}}`} {
		pairs := make([]string, len(members))
		for i, member := range members {
			pairs[i] = fmt.Sprintf("%q:%s", member, value)
		}
		all = append(all, "{"+strings.Join(pairs, ",")+"}")
	}
	for _, response := range responses() {
		quoted := fmt.Sprintf("%q", response)
		all = append(all, `{"fidoProtocol":"FIDO2","registrationResponse":`+quoted+`}`, `{"fidoProtocol":"UAF11","registrationResponse":`+quoted+`}`,
			`{"credentials":{"fidoAuthenticator":{"authenticationResponse":`+quoted+`}}}`,
			`{"data":{"fido":{"fidoProtocol":"UAF11","authenticationResponse":`+quoted+`}}}`)
	}
	return append(all, `{"fidoProtocol":"FIDO2"}`, `{"fidoProtocol":"UAF11"}`, `{"credentials":{"passKey":"x"}}`, `{"credentials":{"authenticator":{"OTP":"1"}}}`,
		`{"command":"00"}`, `{"command":"zz"}`, `{"command":"`+hex.EncodeToString([]byte(`{"command":"activate"}`))+`"}`, `{"userID":"nobody@sandbox","staticPassword":"x"}`,
		`{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{}}}`, `{"data":{"standard":{"signature":"x"}}}`, `{"language":"tlh"}`)
}()

// responses returns authenticator responses that no authenticator sends.
func responses() []string {
	clientData := base64.RawURLEncoding.EncodeToString([]byte(`{"type":"webauthn.create","challenge":"AAAA","origin":"x"}`))
	return []string{
		``, `null`, `{}`, `[]`, `[{}]`, `[null]`, `{"id":1}`, `{"id":"","rawId":"","type":"","response":null}`,
		`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"` + clientData + `","attestationObject":"oA","authenticatorData":"AA","signature":"AA"}}`,
		`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"!","attestationObject":"` + strings.Repeat("m", 9000) + `"}}`,
		`[{"header":{"op":"Reg","upv":{"major":1,"minor":1}},"fcParams":"AA","assertions":[{"assertionScheme":"UAFV1TLV","assertion":"AT4"}]}]`,
	}
}

var contentTypes = []string{
	"application/json", "application/x-www-form-urlencoded", "", "text/plain", "application/json; charset=utf-16", "multipart/form-data", "multipart/form-data; boundary=x", "a/b; c", ";;;", "\"",
}

// oddHeaders are headers for any request, name, value, name, value …
var oddHeaders = [][]string{
	{"Accept", "text/html"}, {"Accept", strings.Repeat("a/b,", 2000)}, {"Accept", "\xff"}, {"Accept-Language", "xx;q=\xff"}, {"Accept-Language", strings.Repeat("de-x-", 2000)},
	{"Accept-Language", "*;q=0"}, {"Cookie", "countersign"}, {"Cookie", "countersign="}, {"Cookie", "countersign=" + strings.Repeat("A", 43)}, {"Cookie", "countersign=\"x"},
	{"Cookie", strings.Repeat("countersign=x; ", 500)}, {"Cookie", "countersign-user=%00"}, {"Authorization", ""}, {"Authorization", "Bearer"}, {"Authorization", "Bearer " + strings.Repeat("A", 43)},
	{"Authorization", "Bearer " + strings.Repeat("x", 9000)}, {"Authorization", "Basic Og=="}, {"Authorization", "Digest x"}, {"Authorization", "\x80"}, {"Content-Encoding", "gzip"},
	{"Range", "bytes=9-1"}, {"If-None-Match", "*"}, {"If-Modified-Since", "x"}, {"X-Forwarded-For", "\"><script>, 999.1.1.1"}, {"X-Http-Method-Override", "DELETE"}, {"Forwarded", "for=x"},
	{"Origin", "null"}, {"Origin", "\x80"}, {"Sec-Fetch-Site", "x"}, {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site"}, {"Referer", "javascript:x"},
	{"Countersign-Session", "x"}, {"Upgrade", "websocket", "Connection", "Upgrade"}, {"Expect", "100-continue"}, {"Te", "trailers"}, {"User-Agent", strings.Repeat("\xff", 3000)}, {"X-Request-Id", "\xff"},
}

var oddMethods = []string{"HEAD", "OPTIONS", "PUT", "TRACE", "CONNECT", "PROPFIND", "get", "POST", "GET", "DELETE", "PATCH"}

// Whatever is sent to whichever route, signed in or not, the answer says what is wrong
// with it and reveals nothing internal.
func TestResponse_BadInputRevealsNothing(t *testing.T) {
	app := e2etest.BootGuarded(t, io.Discard)
	var wait sync.WaitGroup
	all := allRoutes(app, t)
	turns := make(chan int)
	for range 4 {
		wait.Go(func() {
			for turn := range turns {
				throwAt(t, app, all[turn], turn)
			}
		})
	}
	for turn := range all {
		turns <- turn
	}
	close(turns)
	wait.Wait()
}

// throwAt sends paths and bodies to a route, in turns as a signed-out client, as an app and as
// a browser, each for a third of the routes; and a third of the content types, headers and
// methods, of which each meets a third of the routes.
func throwAt(t *testing.T, app e2etest.Guarded, route gin.RouteInfo, turn int) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	out, in, person := e2etest.Program(t, app.App), e2etest.Program(t, app.App).SignedIn("alice@sandbox"), e2etest.Browser(t, app.App).SignedIn("alice@sandbox")
	person.Header.Set("Cookie", e2etest.CookieOf(person))
	clients := []*e2etest.Client{out, in, person}
	for _, c := range clients {
		c.HTTP = &http.Client{Transport: transport}
	}
	for i, segment := range segments {
		c := clients[(turn+i)%len(clients)]
		if i < len(clients) || inPath(route.Path, segment) != route.Path {
			throw(t, app, c, route.Method, inPath(route.Path, segment), `{"fidoProtocol":"FIDO2"}`, "Content-Type", "application/json")
		}
		throw(t, app, c, route.Method, inPath(route.Path, "me")+"?a="+segment+"&notice="+segment+"&next="+segment+"&user="+segment+"&remove="+segment+"&confirm=last&%zz", "")
	}
	for i := turn % 3; i < len(contentTypes); i += 3 {
		contentType := contentTypes[i]
		throw(t, app, person, route.Method, inPath(route.Path, "me"), `{"fidoProtocol":"FIDO2"}`, "Content-Type", contentType)
	}
	for i := turn % 3; i < len(oddHeaders); i += 3 {
		header := oddHeaders[i]
		throw(t, app, person, route.Method, inPath(route.Path, "me"), `{}`, append([]string{"Content-Type", "application/json"}, header...)...)
	}
	for i := turn % 3; i < len(oddMethods); i += 3 {
		throw(t, app, person, oddMethods[i], inPath(route.Path, "me"), "")
	}
	if route.Method == http.MethodGet || route.Method == http.MethodHead {
		return // a body is not read, and the rest is the same for all
	}
	for i, body := range bodies {
		if (turn+i)%2 == 0 {
			throw(t, app, clients[(turn+i)%len(clients)], route.Method, inPath(route.Path, "alice@sandbox"), body, "Content-Type", "application/json")
		} else {
			throw(t, app, person, route.Method, inPath(route.Path, "alice@sandbox"), body, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
	}
}

// throw sends requests that Go's own client would refuse to build, as far as they can be
// sent at all.
func throw(t *testing.T, app e2etest.Guarded, c *e2etest.Client, method, path, body string, headers ...string) {
	const tries = 5
	for try := range tries {
		if late := answers(app, t, c, thrown(t, app, c, method, path, body, headers), try == tries-1); !late {
			return
		}
	}
}

func thrown(t *testing.T, app e2etest.Guarded, c *e2etest.Client, method, path, body string, headers []string) *http.Request {
	request, err := http.NewRequestWithContext(t.Context(), method, app.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	path, query, _ := strings.Cut(path, "?")
	request.URL.Opaque, request.URL.RawQuery = path, query
	maps.Copy(request.Header, c.Header)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header[headers[i]] = []string{headers[i+1]}
	}
	return request
}

var parameter = regexp.MustCompile(`[:*]\w+`)

func inPath(pattern, segment string) string { return parameter.ReplaceAllString(pattern, segment) }

// Bytes that are no HTTP, or barely, are answered or hung up on, and reveal nothing.
func TestResponse_BrokenHTTPRevealsNothing(t *testing.T) {
	app := e2etest.BootGuarded(t, io.Discard)
	host := "Host: " + strings.TrimPrefix(app.URL(), "http://") + "\r\n"
	long := strings.Repeat("x", 40<<10)
	post := "POST /users/alice@sandbox/login HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n"
	for _, sent := range []string{
		"", "\r\n\r\n", "\x00\x01\x02\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n", "GET /session\r\n\r\n",
		"GET /session HTTP/1.1\r\n\r\n", "GET /session HTTP/1.0\r\n\r\n", "GET /session HTTP/9.9\r\n" + host + "\r\n", "GET /session HTTP/x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /%zz HTTP/1.1\r\n" + host + "\r\n", "GET /%00 HTTP/1.1\r\n" + host + "\r\n", "GET //evil.example/session HTTP/1.1\r\n" + host + "\r\n", "GET /../../etc/passwd HTTP/1.1\r\n" + host + "\r\n",
		"GET /static/..%2f..%2fgo.mod HTTP/1.1\r\n" + host + "\r\n", "GET /static/../go.mod HTTP/1.1\r\n" + host + "\r\n", "GET /./login HTTP/1.1\r\n" + host + "\r\n", "GET /login/ HTTP/1.1\r\n" + host + "\r\n", "GET \\login HTTP/1.1\r\n" + host + "\r\n",
		"GET http://evil.example/session HTTP/1.1\r\nHost: evil.example\r\n\r\n", "GET " + app.URL() + "/session HTTP/1.1\r\n" + host + "\r\n", "CONNECT evil.example:443 HTTP/1.1\r\n" + host + "\r\n", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n",
		"TRACE / HTTP/1.1\r\n" + host + "\r\n", "G<script>T / HTTP/1.1\r\n" + host + "\r\n", "BREW /session HTTP/1.1\r\n" + host + "\r\n", "GET /" + long + " HTTP/1.1\r\n" + host + "\r\n", "GET / HTTP/1.1\r\n" + host + "X: " + long + "\r\n\r\n",
		"GET / HTTP/1.1\r\n" + host + strings.Repeat("X: y\r\n", 5000) + "\r\n", "GET / HTTP/1.1\r\n" + host + "Bad Name: x\r\n\r\n", "GET / HTTP/1.1\r\n" + host + "X: a\x00b\r\n\r\n", "GET / HTTP/1.1\r\n" + host + "X: a\r\n b\r\n\r\n",
		"GET / HTTP/1.1\r\n" + host + ": x\r\n\r\n", "GET / HTTP/1.1\r\n" + host + host + "\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
		post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", post + "Content-Length: -1\r\n\r\n{}", post + "Content-Length: 99999999999999999999\r\n\r\n{}", post + "Content-Length: 1000\r\n\r\n{}",
		post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}", post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n", post + "Transfer-Encoding: gzip\r\n\r\n{}",
		post + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", post + "Transfer-Encoding: chunked, identity\r\n\r\n{}", post + "Expect: x\r\nContent-Length: 2\r\n\r\n{}", post + "Content-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n",
		post + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n3\r\n1}\n\r\n0\r\nX-Trailer: y\r\n\r\n", post + "Connection: Content-Type\r\nContent-Length: 2\r\n\r\n{}", "GET /session HTTP/1.1\r\n" + host + "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
	} {
		for _, r := range wire(app, t, sent) {
			// Go's server refuses versions and encodings by the statuses made for that.
			if r.Status >= 500 && r.Status != http.StatusNotImplemented && r.Status != http.StatusHTTPVersionNotSupported {
				t.Errorf("%.80q: status %d: %.300s", sent, r.Status, r.Body)
			}
			app.TellsNothing(t, fmt.Sprintf("%.80q", sent), r)
		}
	}
}

// wire sends the bytes unchanged, with nothing after them, and reads all answers.
func wire(g e2etest.Guarded, t *testing.T, sent string) (answers []e2etest.Reply) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.ListenURL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(conn, sent) // the server may have hung up by then
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	for in := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				t.Errorf("%.80q: neither answered nor hung up on", sent)
			}
			return answers
		}
		body, _ := io.ReadAll(response.Body)
		answers = append(answers, e2etest.Reply{T: t, Status: response.StatusCode, Header: response.Header, Body: body})
	}
}

// The program leaves no goroutine running when it is closed, whatever it has done.
func TestClose_LeavesNoGoroutine(t *testing.T) {
	for name, settings := range map[string][]string{"embedded": nil, "real Redis": {"REDIS_URL=" + redistest.Start(t).URL()}} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Run("used", func(t *testing.T) {
				app := e2etest.Boot(t, settings...)
				c := e2etest.Browser(t, app)
				c.Password("alice@sandbox")
				c.Register(e2etest.NewPasskey(app))
				e2etest.Program(t, app).RequestSignIn("nobody@sandbox")
				e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "login", "status": 503})
				e2etest.Program(t, app).Send("POST", "/users/bob@sandbox/login", e2etest.RightPassword).Want(http.StatusServiceUnavailable)
				c.Send("GET", "/account", nil, "Accept", "text/html").Want(http.StatusOK)
				http.DefaultClient.CloseIdleConnections()
			})
			http.DefaultClient.CloseIdleConnections()
			leaktest.None(t, before)
		})
	}
}
