package failures_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"
)

// mark occurs in everything that the platform says for itself alone.
const mark = "Zq7internal"

// overfull is an answer of the platform to any call, with more content than a client may
// see.
var overfull = e2etest.Fault{
	"sessionStatus": "accepted", "uafStatusCode": nil, "requestID": "registration:5b6a2f7e-9f5a-4d8e-8a58-5a0f6b1f2c3d", "command": "00", "activationPassword": "12345678",
	"registrationRequest":   `{"rp":{"id":"localhost","name":"x"},"user":{"id":"AA","name":"x","displayName":"x"},"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","pubKeyCredParams":[{"type":"public-key","alg":-7}]}`,
	"authenticationRequest": `{"challenge":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","rpId":"localhost","allowCredentials":[{"type":"public-key","id":"AAAA"}]}`,
	"registrations":         []e2etest.Fault{{"registrationID": "r1", "type": "FIDO2", "name": "key", "publicKey": mark, "owner": e2etest.Fault{"password": mark}}},
	"debug":                 mark, "jwt": mark, "user": e2etest.Fault{"password": mark}, "message": mark,
}

// refusal returns the platform's error, all of it for its operators.
func refusal(message string) e2etest.Fault {
	return e2etest.Fault{
		"error": mark, "message": message, "trace": mark, "validationErrors": []e2etest.Fault{{"message": message, "field": mark}}, "uafStatusCode": 1498,
		"errorCode": -8000, "path": "/" + mark,
	}
}

// internalBodies are bodies that only operators may read.
var internalBodies = map[string]any{
	"a stack trace":        refusal("java.lang.NullPointerException at com.bank." + mark + ".Login(Login.java:42)"),
	"a database":           refusal("ORA-00942: SELECT password FROM " + mark + " WHERE id='alice' (jdbc:oracle:thin:@db." + mark + ":1521)"),
	"a password":           refusal("password=" + mark + " is wrong for host 10.1.2.3"),
	"the credential":       refusal("unexpected Authorization: Basic " + e2etest.APIKey + " " + mark),
	"a gateway's page":     "<html><title>502</title><pre>upstream 10.1.2.3:8443 " + mark + "</pre></html>",
	"text":                 "goroutine 1 [running]: " + mark,
	"an answer with extra": overfull,
	"a list":               []string{mark},
	"half an object":       `{"message":"` + mark,
}

// The platform's words, in any form and with any status, reach only the log, and its
// credential not even that.
func TestPlatform_TextsNotRevealed(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootGuarded(t, &log)
	app.Secrets = append(app.Secrets, mark, "10.1.2.3", "ORA-00942", "Login.java")
	headers := e2etest.Fault{
		"X-Internal": mark, "Set-Cookie": "JSESSIONID=" + mark, "Server": mark, "WWW-Authenticate": "Basic realm=" + mark,
		"Location": "http://" + mark + "/", "log-correlation-id": mark, "Link": mark, "Refresh": "0; url=http://" + mark,
	}
	statuses := []int{200, 206, 302, 400, 401, 403, 404, 409, 418, 500, 503}
	kinds := slices.Sorted(maps.Keys(internalBodies))
	for turn, a := range calls {
		operation := platformCalls[a.name]
		if operation == "" {
			continue
		}
		for i, status := range statuses {
			e2etest.Manage(t, app.App, "POST", "/reset", nil)
			c := a.by(t, app.App).SignedIn("alice@sandbox")
			send := a.prepare(c)
			kind := kinds[(turn+i)%len(kinds)]
			e2etest.Manage(t, app.App, "POST", "/faults", e2etest.Fault{"operation": operation, "times": 0, "status": status, "headers": headers, "body": internalBodies[kind]})
			r := send()
			what := fmt.Sprintf("%s, the platform answers %d with %s", a.name, status, kind)
			if r.Status == http.StatusInternalServerError || r.Status >= 505 {
				t.Errorf("%s: status %d: %.300s", what, r.Status, r.Body)
			}
			if operation == "orchestrationCommands" && r.Status == http.StatusOK {
				continue // an answer to the SDK is the platform's, whole
			}
			app.TellsNothing(t, what, r)
		}
	}
	for _, secret := range []string{e2etest.APIKey, "Sandbox-1!"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	if !strings.Contains(log.String(), "NullPointerException") || !strings.Contains(log.String(), mark) {
		t.Error("the log does not tell what the platform said")
	}
}

// Redis has troubles other than being away: it is full, demoted, or no longer permits our
// commands. These are outages too, and not revealed.
func TestRedis_TroublesAreOutages(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	redis := server.Client()
	app := e2etest.BootGuarded(t, io.Discard, append(e2etest.LimitsOn, "REDIS_URL="+server.URL())...)
	app.Secrets = append(app.Secrets, server.Addr, "OOM command", "READONLY You", "NOPERM User", "NOPERM this", "MASTERDOWN Link")
	do := func(command ...any) {
		t.Helper()
		if err := redis.Do(t.Context(), command...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for name, condition := range map[string]struct {
		turn       int
		begin, end []any
	}{
		"full":      {0, []any{"config", "set", "maxmemory", "1"}, []any{"config", "set", "maxmemory", "0"}},
		"demoted":   {1, []any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}},
		"forbidden": {2, []any{"acl", "setuser", "default", "-@scripting", "-@read", "-@write"}, []any{"acl", "setuser", "default", "+@all"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, a := range calls {
				if i%3 != condition.turn { // each call meets one of them
					continue
				}
				e2etest.Manage(t, app.App, "POST", "/reset", nil)
				c := a.by(t, app.App).Back("alice@sandbox")
				send := a.prepare(c)
				do(condition.begin...)
				r := send()
				do(condition.end...)
				if _, action, _ := retry(r); a.spends && action == "restart" {
					a.unavailable(a.name, "session.unavailable", r)
				} else if r.Status >= http.StatusBadRequest {
					r.WithoutRedis(a.name, a.page)
				}
				app.TellsNothing(t, a.name, r)
				if status := c.WhenBack().Status; status != http.StatusOK && !a.ends {
					t.Errorf("%s: then GET /session is answered %d", a.name, status)
				}
				// Of more than fifty sessions of one second any but the newest may end.
				c.Send("DELETE", "/account/sessions", nil)
			}
		})
	}
}
