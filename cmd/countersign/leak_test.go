package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"go.uber.org/goleak"

	"countersign/internal/redisdb/redistest"
)

// internals is what only somebody who looks into the program could know: its
// code, its libraries' words, its neighbours.
var internals = []string{
	"countersign/web", "countersign/handlers", "countersign/session", "countersign/internal", "countersign/cmd", "github.com/", "goroutine", ".go:", "runtime error",
	"nil pointer", "panic", "dial tcp", "read tcp", "write tcp", "connection refused", "connection reset", "broken pipe", "unexpected EOF", "i/o timeout", "context canceled",
	"context deadline", "circuit", "redis", "Redis", "NOSCRIPT", "EVALSHA", "jsontext", "unmarshal", "invalid character", "strconv", "net/http", " http: ", "\"http: ", "tls: ",
	"x509: ", "gorilla", "template: ", "mime: ", "%!", "<nil>", "0xc0", "java.", "stack trace", "Traceback", "jdbc", "/_manage", "fido-registrations", "127.0.0.1:",
}

// guarded is a program whose secrets are known, so that they can be looked for.
type guarded struct {
	*App
	secrets []string
}

const apiKey = "platform-key-5f1c0de5"

func bootGuarded(t testing.TB, log io.Writer, settings ...string) guarded {
	t.Helper()
	sessionKey, decoyKey := bytes.Repeat([]byte{0xa7, 0x3c}, 16), bytes.Repeat([]byte{0x5e, 0xd1}, 16)
	app := bootTo(t, log, append([]string{
		"SANDBOX_API_KEY=" + apiKey, "SESSION_KEYS=" + hex.EncodeToString(sessionKey), "DECOY_KEY=" + hex.EncodeToString(decoyKey),
	}, settings...)...)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	g := guarded{app, []string{apiKey, app.platform.Addr().String(), app.admin.Addr().String(), here}}
	for _, key := range [][]byte{sessionKey, decoyKey} {
		g.secrets = append(g.secrets, string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key)[:40], base64.URLEncoding.EncodeToString(key)[:40])
	}
	return g
}

// tellsNothing looks for internals in an answer, headers included.
func (g guarded) tellsNothing(t testing.TB, what string, r reply) {
	t.Helper()
	var all bytes.Buffer
	_ = r.header.Write(&all)
	all.Write(r.body)
	text := strings.ReplaceAll(all.String(), g.URL(), "")
	for _, word := range append(g.secrets, internals...) {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("%s: the answer %d tells of %q: %.300s", what, r.status, word, text[max(0, at-100):])
		}
	}
}

// answers sends as it is, without the harness's check against the contract, and
// checks that the answer blames nobody but the client and tells nothing.
func (g guarded) answers(t testing.TB, c *client, request *http.Request, sent string) {
	t.Helper()
	what := fmt.Sprintf("%s %.100s", request.Method, request.URL.Opaque)
	response, err := c.http.Transport.RoundTrip(request)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	r := reply{t, what, response.StatusCode, response.Header, body}
	if r.status >= 500 {
		t.Errorf("%s: status %d for what a client sent: %.200q", what, r.status, sent)
	}
	g.tellsNothing(t, what, r)
}

// routes is the whole surface, as the engine has it.
func (g guarded) routes(t testing.TB) gin.RoutesInfo {
	t.Helper()
	engine, ok := g.public.server.Handler.(interface{ Routes() gin.RoutesInfo })
	if !ok {
		t.Fatalf("no way to read the routes of a %T", g.public.server.Handler)
	}
	return engine.Routes()
}

// segments are values for any part of a path, as they stand in it.
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

// responses are what an authenticator never says.
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

// Whatever is thrown at whichever route, signed in or not, the answer says what
// was wrong with it and nothing of what is inside.
func TestBadInputTellsNothing(t *testing.T) {
	app := bootGuarded(t, io.Discard)
	var wait sync.WaitGroup
	routes := make(chan gin.RouteInfo)
	for range 4 {
		wait.Go(func() {
			for route := range routes {
				throwAt(t, app, route)
			}
		})
	}
	for _, route := range app.routes(t) {
		routes <- route
	}
	close(routes)
	wait.Wait()
}

func throwAt(t *testing.T, app guarded, route gin.RouteInfo) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	out, in, person := program(t, app.App), program(t, app.App).signedIn("alice@sandbox"), browser(t, app.App).signedIn("alice@sandbox")
	person.header.Set("Cookie", cookieOf(person))
	for _, c := range []*client{out, in, person} {
		c.http = &http.Client{Transport: transport}
		for _, segment := range segments {
			throw(t, app, c, route.Method, inPath(route.Path, segment), `{"fidoProtocol":"FIDO2"}`, "Content-Type", "application/json")
			throw(t, app, c, route.Method, inPath(route.Path, "me")+"?a="+segment+"&notice="+segment+"&next="+segment+"&user="+segment+"&remove="+segment+"&confirm=last&%zz", "")
		}
	}
	for _, contentType := range contentTypes {
		throw(t, app, person, route.Method, inPath(route.Path, "me"), `{"fidoProtocol":"FIDO2"}`, "Content-Type", contentType)
	}
	for _, header := range oddHeaders {
		throw(t, app, person, route.Method, inPath(route.Path, "me"), `{}`, append([]string{"Content-Type", "application/json"}, header...)...)
	}
	for _, method := range oddMethods {
		throw(t, app, person, method, inPath(route.Path, "me"), "")
	}
	if route.Method == http.MethodGet || route.Method == http.MethodHead {
		return // a body is not looked at, and the rest is the same for all
	}
	for _, c := range []*client{out, in, person} {
		for _, body := range bodies {
			throw(t, app, c, route.Method, inPath(route.Path, "alice@sandbox"), body, "Content-Type", "application/json")
		}
	}
	for _, body := range bodies {
		throw(t, app, person, route.Method, inPath(route.Path, "alice@sandbox"), body, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	}
}

// throw sends what Go's own client would refuse to build, as far as it goes over
// the wire at all.
func throw(t *testing.T, app guarded, c *client, method, path, body string, headers ...string) {
	request, err := http.NewRequestWithContext(t.Context(), method, app.URL(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	path, query, _ := strings.Cut(path, "?")
	request.URL.Opaque, request.URL.RawQuery = path, query
	maps.Copy(request.Header, c.header)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header[headers[i]] = []string{headers[i+1]}
	}
	app.answers(t, c, request, body)
}

var parameter = regexp.MustCompile(`[:*]\w+`)

func inPath(pattern, segment string) string { return parameter.ReplaceAllString(pattern, segment) }

// mark stands in everything that the platform says for itself alone.
const mark = "Zq7internal"

// theirs is an answer of the platform to any call, with more in it than a client
// may see.
var theirs = fault{
	"sessionStatus": "accepted", "uafStatusCode": nil, "requestID": "registration:5b6a2f7e-9f5a-4d8e-8a58-5a0f6b1f2c3d", "command": "00", "activationPassword": "12345678",
	"registrationRequest":   `{"rp":{"id":"localhost","name":"x"},"user":{"id":"AA","name":"x","displayName":"x"},"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","pubKeyCredParams":[{"type":"public-key","alg":-7}]}`,
	"authenticationRequest": `{"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","rpId":"localhost","allowCredentials":[{"type":"public-key","id":"AAAA"}]}`,
	"registrations":         []fault{{"registrationID": "r1", "type": "FIDO2", "name": "key", "publicKey": mark, "owner": fault{"password": mark}}},
	"debug":                 mark, "jwt": mark, "user": fault{"password": mark}, "message": mark,
}

// refusal is the platform's error, all of it for its operators.
func refusal(message string) fault {
	return fault{
		"error": mark, "message": message, "trace": mark, "validationErrors": []fault{{"message": message, "field": mark}}, "uafStatusCode": 1498,
		"errorCode": -8000, "path": "/" + mark,
	}
}

// outpourings are bodies that nobody outside should read.
var outpourings = map[string]any{
	"a stack trace":        refusal("java.lang.NullPointerException at com.bank." + mark + ".Login(Login.java:42)"),
	"a database":           refusal("ORA-00942: SELECT password FROM " + mark + " WHERE id='alice' (jdbc:oracle:thin:@db." + mark + ":1521)"),
	"a password":           refusal("password=" + mark + " is wrong for host 10.1.2.3"),
	"the credential":       refusal("unexpected Authorization: Basic " + apiKey + " " + mark),
	"a gateway's page":     "<html><title>502</title><pre>upstream 10.1.2.3:8443 " + mark + "</pre></html>",
	"text":                 "goroutine 1 [running]: " + mark,
	"an answer with extra": theirs,
	"a list":               []string{mark},
	"half an object":       `{"message":"` + mark,
}

// What the platform says, in whatever form and under whatever status, reaches
// nobody but the log, and its credential not even that.
func TestThePlatformsWordsStayInside(t *testing.T) {
	var log lockedBuffer
	app := bootGuarded(t, &log)
	app.secrets = append(app.secrets, mark, "10.1.2.3", "ORA-00942", "Login.java")
	headers := fault{
		"X-Internal": mark, "Set-Cookie": "JSESSIONID=" + mark, "Server": mark, "WWW-Authenticate": "Basic realm=" + mark,
		"Location": "http://" + mark + "/", "log-correlation-id": mark, "Link": mark, "Refresh": "0; url=http://" + mark,
	}
	statuses := []int{200, 201, 206, 302, 304, 400, 401, 402, 403, 404, 405, 409, 410, 415, 418, 422, 423, 429, 451, 500, 501, 502, 503, 504, 511}
	kinds := slices.Sorted(maps.Keys(outpourings))
	for _, a := range errands {
		operation := platformCalls[a.name]
		if operation == "" {
			continue
		}
		for i, status := range append(statuses, 200, 200, 200, 400, 400, 400, 409, 409, 409, 500, 500, 500) {
			manage(t, app.App, "POST", "/reset", nil)
			c := a.by(t, app.App).signedIn("alice@sandbox")
			send := a.prepare(c)
			kind := kinds[i%len(kinds)]
			manage(t, app.App, "POST", "/faults", fault{"operation": operation, "times": 0, "status": status, "headers": headers, "body": outpourings[kind]})
			r := send()
			what := fmt.Sprintf("%s, the platform answers %d with %s", a.name, status, kind)
			if r.status == http.StatusInternalServerError || r.status >= 505 {
				t.Errorf("%s: status %d: %.300s", what, r.status, r.body)
			}
			app.tellsNothing(t, what, r)
		}
	}
	for _, secret := range []string{apiKey, "Sandbox-1!"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	if !strings.Contains(log.String(), "NullPointerException") || !strings.Contains(log.String(), mark) {
		t.Error("the log does not tell what the platform said")
	}
}

// Redis has troubles other than being away: full, demoted, or no longer letting
// us do what we do. They are outages too, and nobody else's business.
func TestRedisTroublesAreOutages(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	redis := server.Client()
	app := bootGuarded(t, io.Discard, append(limitsOn, "REDIS_URL="+server.URL())...)
	app.secrets = append(app.secrets, server.Addr, "OOM", "READONLY", "NOPERM", "MASTERDOWN")
	do := func(command ...any) {
		t.Helper()
		if err := redis.Do(t.Context(), command...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for name, trouble := range map[string]struct{ begin, end []any }{
		"full":      {[]any{"config", "set", "maxmemory", "1"}, []any{"config", "set", "maxmemory", "0"}},
		"demoted":   {[]any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}},
		"forbidden": {[]any{"acl", "setuser", "default", "-@scripting", "-@read", "-@write"}, []any{"acl", "setuser", "default", "+@all"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, a := range errands {
				manage(t, app.App, "POST", "/reset", nil)
				c := a.by(t, app.App).back("alice@sandbox")
				send := a.prepare(c)
				do(trouble.begin...)
				r := send()
				do(trouble.end...)
				if r.status >= http.StatusBadRequest {
					r.withoutRedis(a.name, a.page)
				}
				app.tellsNothing(t, a.name, r)
				if status := c.whenBack().status; status != http.StatusOK && !a.ends {
					t.Errorf("%s: then GET /session is answered %d", a.name, status)
				}
			}
		})
	}
}

// What is not even HTTP, or barely, is answered or hung up on, and tells nothing.
func TestBrokenHTTPTellsNothing(t *testing.T) {
	app := bootGuarded(t, io.Discard)
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
		for _, r := range app.wire(t, sent) {
			// Go's server refuses versions and encodings by the statuses made for that.
			if r.status >= 500 && r.status != http.StatusNotImplemented && r.status != http.StatusHTTPVersionNotSupported {
				t.Errorf("%.80q: status %d: %.300s", sent, r.status, r.body)
			}
			app.tellsNothing(t, fmt.Sprintf("%.80q", sent), r)
		}
	}
}

// wire sends the bytes as they are, with nothing after them, and reads all
// answers there are.
func (g guarded) wire(t *testing.T, sent string) (answers []reply) {
	t.Helper()
	conn, err := net.Dial("tcp", g.public.Addr().String())
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
		answers = append(answers, reply{t, "", response.StatusCode, response.Header, body})
	}
}

// The program leaves nothing running when it is closed, whatever it has done.
func TestClosingLeavesNothing(t *testing.T) {
	for name, settings := range map[string][]string{"embedded": nil, "real Redis": {"REDIS_URL=" + redistest.Start(t).URL()}} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Run("used", func(t *testing.T) {
				app := boot(t, settings...)
				c := browser(t, app)
				c.password("alice@sandbox")
				c.register(newPasskey(app))
				program(t, app).requestSignIn("nobody@sandbox")
				manage(t, app, "POST", "/faults", fault{"operation": "login", "status": 503})
				program(t, app).send("POST", "/users/bob@sandbox/login", rightPassword).want(http.StatusServiceUnavailable)
				c.send("GET", "/account", nil, "Accept", "text/html").want(http.StatusOK)
				http.DefaultClient.CloseIdleConnections()
			})
			http.DefaultClient.CloseIdleConnections()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}
