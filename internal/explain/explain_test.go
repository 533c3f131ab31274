package explain_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/explain"
	"countersign/internal/i18n"
)

const id = "-PbnjSEjZSiJTS0C"

// failed is the line of a request whose call of the platform failed.
func failed(log *slog.Logger, cause string, more ...any) {
	log.Error("request", append([]any{
		"id", id, "method", "POST", "route", "/users/:user/login", "path", "/users/alice@sandbox/login", "status", 503, "duration", 3400 * time.Microsecond,
		"address", "192.0.2.7", "person", "alice@sandbox", "correlation", []string{"corr-1", "corr-2"}, "calls", []string{"getUser:200:corr-1", "login:503:corr-2", "login:timeout"},
		"key", "platform.unavailable", "cause", cause,
	}, more...)...)
}

// logged returns a log with that line in the middle.
func logged(form func(io.Writer) slog.Handler, cause string, more ...any) string {
	var text bytes.Buffer
	log := slog.New(form(&text))
	log.Info("request", "id", "another", "person", "bob@sandbox", "cause", "in "+id)
	log.Warn("about " + id)
	failed(log, cause, more...)
	log.Info("request", "id", "a-third")
	return text.String()
}

func asText(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) }

// asJSON writes durations in seconds.
func asJSON(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			return slog.Float64(a.Key, a.Value.Duration().Seconds())
		}
		return a
	}})
}

func source(text string) explain.Source {
	return explain.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func told(t *testing.T, id string, sources ...explain.Source) (string, error) {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = explain.Request(&out, bundle.For("en"), id, sources)
	return out.String(), err
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// each has every line of text changed.
func each(text, before, after string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(before + strings.TrimSuffix(line, "\n") + after + "\n")
	}
	return out.String()
}

// The story is the same, however the log was written, and whatever a collector made of it.
func TestStory_SameInEveryFormat(t *testing.T) {
	const cause = `login: the platform answered 503: {"error": "x"} and "quotes"`
	text, json := logged(asText, cause), logged(asJSON, cause)
	var docker strings.Builder
	for line := range strings.Lines(json) {
		slog.New(slog.NewJSONHandler(&docker, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}})).Info("", "log", line, "stream", "stderr")
	}
	for name, log := range map[string]string{
		"text": text, "JSON": json, "gzip": zipped(json), "gzip in two parts": zipped("one\n") + zipped(text),
		"journald": each(text, "Nov 29 04:24:56 node countersign[1234]: ", ""), "CRI": each(json, "2026-11-29T04:24:56.1Z stderr F ", ""),
		"compose": each(json, "countersign-1  | ", ""), "docker": docker.String(), "Windows": each(json, "", "\r"), "without an end": strings.TrimSuffix(text[:strings.Index(text, "time=")]+text, "\n"),
	} {
		got, err := told(t, id, source(log))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range []string{
			"Request " + id, "took 3.4ms", "alice@sandbox, from 192.0.2.7", "POST /users/alice@sandbox/login, route /users/:user/login", "503, platform.unavailable",
			"Call      getUser: status 200, correlation ID corr-1", "login: status 503, correlation ID corr-2", "login: no response in time\n", "Cause     " + cause,
			"docs/errors.md, platform.unavailable: ", "docs/runbooks/CountersignFailing.md", "docs/runbooks/CountersignPlatformFailing.md", "support: corr-1, corr-2",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the story lacks %q:\n%s", name, want, got)
			}
		}
		for _, other := range []string{"bob@sandbox", "PlatformRefusesUs", "CountersignInternalErrors"} {
			if strings.Contains(got, other) {
				t.Errorf("%s: the story has %q:\n%s", name, other, got)
			}
		}
	}
}

// What was done belongs to the story: events of the audit trail with the request's number.
func TestStory_AuditTrailEvents(t *testing.T) {
	trail := `{"at":"2030-01-01T00:00:00Z","event":"sign-in.refused","person":"alice@sandbox","request":"` + id + `","reason":"account.locked"}` + "\n"
	got, err := told(t, id, source(trail+logged(asJSON, "x")))
	if err != nil || !strings.Contains(got, "Audit     sign-in.refused: account.locked") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestStory_RequestWithoutError(t *testing.T) {
	got, err := told(t, "fine", source(`{"msg":"request","id":"fine","method":"GET","path":"/","route":"/","status":200,"address":"::1"}`))
	if err != nil || !strings.Contains(got, "Nothing: the request succeeded") || !strings.Contains(got, "no signed-in user, from ::1") {
		t.Errorf("%v\n%s", err, got)
	}
}

// One log has the request, another what the audit trail has of it, in an older part.
func TestStory_SeveralLogs(t *testing.T) {
	event := func(of string) string { return `{"event":"session.signed-in","request":"` + of + `"}` + "\n" }
	trail := source(event("x"))
	trail.Rotated = []explain.Source{source(event(id)), source(event(id))}
	for name, sources := range map[string][]explain.Source{
		"the trail last": {source(logged(asText, id)), trail}, "the trail first": {trail, source(logged(asJSON, id))},
	} {
		got, err := told(t, id, sources...)
		if n := strings.Count(got, "session.signed-in"); err != nil || n == 0 {
			t.Errorf("%s: %d, %v: %s", name, n, err, got)
		}
	}
}

func TestStory_UnknownRequest(t *testing.T) {
	broken := explain.Source{Name: "gone", Open: func() (io.ReadCloser, error) { return nil, os.ErrNotExist }}
	cut := zipped(logged(asJSON, "x"))
	if _, err := told(t, id, source("\x28\xb5\x2f\xfd...")); !errors.Is(err, explain.ErrUnknown) || !strings.Contains(err.Error(), "not by gzip") {
		t.Errorf("a log that zstd compressed: %v", err)
	}
	for name, sources := range map[string][]explain.Source{
		"no log": nil, "an empty one": {source("")}, "another request": {source(logged(asText, "x"))}, "no log at all": {source("\x00\x01{{{\ntime=\n\"unknown\"\n")},
		"a mention": {source("time=1 level=INFO msg=request id=other cause=unknown\n")}, "a file that is gone": {broken}, "gzip that breaks off": {source(cut[:len(cut)/2])},
	} {
		if got, err := told(t, "unknown", sources...); !errors.Is(err, explain.ErrUnknown) || got != "" {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
	if _, err := told(t, "unknown", broken); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing says why the log could not be read: %v", err)
	}
	if got, err := told(t, id, broken, source(logged(asText, "x"))); err != nil || got == "" {
		t.Errorf("where another log tells of it: %v", err)
	}
}

// Whatever a line holds, nothing that looks like a secret is shown, nor what steers a
// terminal.
func TestRedaction_Secrets(t *testing.T) {
	for _, cause := range []string{
		"Authorization: Basic hidden", "authorization: Custom hidden", "sent Bearer hidden to it", "DPoP hidden", "Cookie: __Host-session=hidden; b=hidden", "Set-Cookie: a=hidden; HttpOnly",
		"password=hidden", "password: hidden", `{"passKey":"hidden"}`, `{\"passKey\": \"hidden\"}`, `{'secret': 'hidden'}`, "client_secret=hidden&x=1", "?access_token=hidden", `"apiKey" : "hidden", "b"`,
		"X-Api-Key: hidden", "redis://user:hidden@host:6379/0", "https://hidden@host/", "eyJhbGciOiJIUzI1NiJ9.hidden.hidden", "key=hidden", `"key":"hidden"`, "OTP=hidden", "sessionToken=hidden", "token: hidden1",
		"-----BEGIN PRIVATE KEY-----\nhidden\n-----END PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----\nhidden", "of hiddenhiddenhiddenhiddenhiddenhidden0123456789", "STATICPASSWORD = \"hidden words\"", `"password":"a\"hidden"`,
		"pass=hidden", "pw=hidden", "PHPSESSID=hidden", "password%3Dhidden", `password\u003dhidden`, "password => hidden", "<password>hidden</password>", "Passwort: hidden", "mot de passe : hidden", "パスワード：hidden",
		"with password hidden1", "the passkey is hidden1", "X-Sig: 1; sig=hidden", "sk-hidden0123456789", "xoxb-1-hidden0123456789",
	} {
		for form, handler := range map[string]func(io.Writer) slog.Handler{"text": asText, "JSON": asJSON} {
			got, err := told(t, id, source(logged(handler, cause, "trace", cause, "proxyRequest", cause, "unknown", "hidden", "specific", cause)))
			if err != nil || strings.Contains(got, "hidden") {
				t.Errorf("%s, %q: %v\n%s", form, cause, err, got)
			}
		}
	}
	if got, _ := told(t, id, source(logged(asText, strings.Repeat("panic ", 1000)))); len(got) > 3000 || !strings.Contains(got, "…\n") {
		t.Errorf("a long cause is shown in %d bytes", len(got))
	}
	got, _ := told(t, id, source(logged(asJSON, "a\x1b[2Jb\u202ec\nd")))
	if !strings.Contains(got, "a[2Jbc d\n") {
		t.Errorf("the story steers the terminal: %q", got)
	}
}

// Nor is a telephone number, a code or the number of a card.
func TestRedaction_PersonalNumbers(t *testing.T) {
	for _, number := range []string{
		"+49 170 1234567", "+491701234567", "+1-202-555-0143", "+81 (0)3 1234 5678", "0170 1234567", "0170/1234567", "(202) 555-0143", "00491701234567",
		"one-time password 49302199", "code 493021", "4111 1111 1111 1111", "4111111111111111", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000",
	} {
		got, err := told(t, id, source(logged(asJSON, "login: no message to "+number+", sent")))
		_, cause, _ := strings.Cut(got, "Cause") // the time above it has digits, too
		if digits := number[len(number)-3:]; err != nil || strings.Contains(cause, digits) || !strings.Contains(cause, ", sent\n") {
			t.Errorf("%q: %v\n%s", number, err, got)
		}
	}
}

// What is no secret stays readable.
func TestRedaction_CausesStayReadable(t *testing.T) {
	for cause, want := range map[string]string{
		"read the session: dial tcp 127.0.0.1:6379: connect: connection refused":      "No server listens at the address",
		"token renewal failed: the token endpoint answered 500":                       "",
		"getPackage: the platform answered 404: package YgxwDdNYwFyDcRME9GW0GW8Gp9o=": "",
		"POST /users/alice@sandbox/generate-fido-authentication-request":              "",
		"OOM command not allowed when used memory > 'maxmemory'":                      "Redis is full",
		"2026-11-29T10:57:10.810489972Z, 36317c30-0123-4567-8901-234567890123":        "",
		"WRONGPASS invalid username-password pair or user is disabled.":               "The password of Redis is wrong",
		"dial tcp [2001:db8::1]:443: +02:00, 203.0.113.7:51234, 1048576 bytes":        "",
		"the token of a session, the code, the key: none is there, status code 409":   "",
	} {
		got, _ := told(t, id, source(logged(asText, cause)))
		if !strings.Contains(got, "Cause     "+cause+"\n") || !strings.Contains(got, want) {
			t.Errorf("%q is shown so:\n%s", cause, got)
		}
	}
}

// Collectors, terminals and two nodes in one file change nothing of the story.
func TestStory_LogFromCollectors(t *testing.T) {
	const cause = `login: the platform answered {} and {"a": 1}`
	text, lines := logged(asText, cause), logged(asJSON, cause)
	want, err := told(t, id, source(text))
	if err != nil || !strings.Contains(want, "login") {
		t.Fatal(want, err)
	}
	wrapped := func(form string) string {
		var out strings.Builder
		for line := range strings.Lines(text) {
			quoted, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			out.WriteString(strings.Replace(form, "%", string(quoted), 1) + "\n")
		}
		return out.String()
	}
	noise := strings.Repeat("x", 1<<20)
	for name, log := range map[string]string{
		"journald":               wrapped(`{"__REALTIME_TIMESTAMP":"1","MESSAGE":%,"PRIORITY":"6"}`),
		"a collector":            wrapped(`{"@timestamp":"2030","message":%,"stream":"stderr"}`),
		"an object in an object": each(lines, `{"log":`, `,"stream":"stdout"}`),
		"labels before JSON":     each(lines, `{app="countersign"} `, ""),
		"a time before JSON":     each(lines, "time=2030-01-01T00:00:00Z ", ""),
		"colours around text":    each(text, "\x1b[36mcountersign-1  |\x1b[0m ", "\x1b[0m"),
		"colours around JSON":    each(lines, "\x1b[36mcountersign-2  | \x1b[0m", "\x1b[0m"),
		"colours in text":        strings.ReplaceAll(strings.ReplaceAll(text, "msg=request", "msg=\x1b[1mrequest\x1b[0m"), "level=ERROR", "\x1b[31mlevel=ERROR\x1b[0m"),
		"lines of Windows":       each(text, "", "\r"),
		"JSON of Windows":        "\xef\xbb\xbf" + each(lines, "", "\r"),
		"journald's export":      each(lines, "MESSAGE=", ""),
		"Loki":                   wrapped(`{"labels":{"app":"countersign"},"line":%,"timestamp":"1"}`),
		"a cloud":                each(lines, `{"severity":"ERROR","jsonPayload":`, `}`),
		"Docker, in pieces": inPieces(lines, func(piece string, more bool) string {
			quoted, _ := json.Marshal(piece + map[bool]string{false: "\n"}[more])
			return `{"log":` + string(quoted) + `,"stream":"stderr","time":"2030-01-01T00:00:00Z"}`
		}),
		"CRI, in pieces": inPieces(text, func(piece string, more bool) string {
			return "2030-01-01T00:00:00.123456789+01:00 stderr " + map[bool]string{true: "P", false: "F"}[more] + " " + piece
		}),
		"lines of a megabyte":         noise + "\n" + noise + id + noise + "\n" + text,
		"text and JSON of two nodes":  logged(asJSON, "x", "id", "other") + "panic: {\n" + text,
		"the rest of a cut line":      lines[len(lines)/4:len(lines)/4+20] + "\n" + lines,
		"a gzip that is cut":          zipped(text + strings.Repeat("filler\n", 1<<16))[:len(zipped(text+strings.Repeat("filler\n", 1<<16)))-9],
		"two files of gzip in a file": zipped(logged(asText, "x")[:0]+"first\n") + zipped(lines),
	} {
		if got, err := told(t, id, source(log)); err != nil || whenever(got) != whenever(want) {
			t.Errorf("%s: %v\n%s\nnot\n%s", name, err, got, want)
		}
	}
}

// inPieces has every line of text in pieces, as a container runtime writes them.
func inPieces(text string, write func(piece string, more bool) string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for len(line) > 25 {
			out.WriteString(write(line[:25], true) + "\n")
			line = line[25:]
		}
		out.WriteString(write(line, false) + "\n")
	}
	return out.String()
}

// whenever is a story without the time, which the two forms write in different lengths.
func whenever(story string) string {
	before, rest, _ := strings.Cut(story, "  When ")
	_, after, _ := strings.Cut(rest, "\n")
	return before + after
}
