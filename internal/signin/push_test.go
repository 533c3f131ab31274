package signin_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/signin"
)

// An accepted push signs in once, however many poll, and only under the session that it
// waits under.
func TestPush_SignsInOnce(t *testing.T) {
	t.Parallel()
	h := build(t)
	waiting := h.must(here, push(alice))
	c, id := with(here, waiting.Session), idOf(waiting)
	for name, other := range map[string]signin.Client{"no session": here, "another": h.in(bob)} {
		if result, err := h.Poll(t.Context(), other, id); !fault.Is(err, fault.SignInUnknown) {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	h.decide(id, "accept")
	var wait sync.WaitGroup
	begun := make(chan signin.Result, 8)
	done := make(chan struct{})
	for range 8 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				result, err := h.Poll(t.Context(), c, id)
				switch {
				case fault.Is(err, fault.SignInUnknown):
					return
				case err != nil:
					t.Error(err)
					return
				case result.Session != nil:
					begun <- result
					close(done)
					return
				}
			}
		})
	}
	wait.Wait()
	if len(begun) != 1 {
		t.Fatalf("%d sessions began", len(begun))
	}
	result := <-begun
	if person, _ := result.Session.User(); result.Status != platform.StatusAccepted || person.ID != alice || !slices.Equal(result.Session.Methods(), []string{signin.MethodPush}) {
		t.Errorf("%+v of %+v", result, person)
	}
}

// A push that reaches nobody is answered like one that does, whatever the platform says,
// in every way of delivery, and waits like one.
func TestPush_DecoyLooksReal(t *testing.T) {
	t.Parallel()
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	digit := regexp.MustCompile(`[0-9a-f]`)
	for _, said := range []map[string]any{
		{"sessionStatus": "pending", "requestID": "login:421"},
		{"sessionStatus": "pending", "requestID": "LOGIN-421-b", "requestMessage": "00ffa1", "riskResponseCode": 0, "eventId": 1700000001, "challenge": "123456"},
		{"sessionStatus": "PENDING", "requestID": "4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f", "requestMessage": "abcdef0123", "uafStatusCode": nil, "passKey": "secret"},
	} {
		h := build(t)
		deliveries := []string{"requestMessage", "pushNotification"}
		looks := func(user, address string) string {
			a := push(user)
			slices.Reverse(deliveries)
			a.Input.OrchestrationDelivery = deliveries
			result := h.must(at(address), a)
			if !uuid.MatchString(idOf(result)) || result.Status != platform.StatusPending {
				t.Errorf("%s: %s %s", user, result.Status, idOf(result))
			}
			polled, err := h.poll(t.Context(), with(here, result.Session), idOf(result))
			if err != nil || polled.Status != platform.StatusPending {
				t.Errorf("%s: %+v, %v", user, polled, err)
			}
			members := maps.Clone(result.Members)
			members["requestID"] = ""
			return digit.ReplaceAllString(fmt.Sprint(members), "0")
		}
		h.fails("login", map[string]any{"times": 1, "status": 200, "body": said})
		real := looks(alice, "192.0.2.1")
		for _, user := range []string{nobody, "dave@sandbox", "erin@sandbox"} {
			if got := looks(user, "192.0.2.1"); got != real {
				t.Errorf("%s: %s, not %s", user, got, real)
			}
		}
	}
}

// One push waits at a time per account and address, whether the account exists or not,
// even if two come at once; an answer lets the next one pass.
func TestPush_OneUnansweredPerAccount(t *testing.T) {
	t.Parallel()
	h := build(t)
	withPassword := password(alice, right)
	withPassword.Input.OrchestrationDelivery = push(alice).Input.OrchestrationDelivery
	for _, user := range []string{alice, nobody, "dave@sandbox"} {
		results := make(chan error, 8)
		for range cap(results) {
			go func() {
				_, err := h.Try(t.Context(), here, push(user))
				results <- err
			}()
		}
		passed := 0
		for range cap(results) {
			err := <-results
			if err == nil {
				passed++
			} else if f := fault.From(err); f.Key != fault.RequestRate || f.RetrySeconds() < 50 || f.RetrySeconds() > 60 {
				t.Errorf("%s: %v, retry in %d s", user, err, f.RetrySeconds())
			}
		}
		if n := h.calls("/login"); passed != 1 || n != 1 {
			t.Errorf("%s: %d pushes passed, %d went out", user, passed, n)
		}
		again := withPassword
		again.User = user
		h.refused(here, again, fault.RequestRate)
		h.must(at("192.0.2.99"), push(user))
		h.calls("")
	}

	for _, decision := range []string{"accept", "refuse"} {
		c := at("203.0.113.1")
		waiting := h.must(c, push("carol@sandbox"))
		h.refused(c, push("carol@sandbox"), fault.RequestRate)
		h.decide(idOf(waiting), decision)
		if result, err := h.poll(t.Context(), with(c, waiting.Session), idOf(waiting)); err != nil || result.Status == platform.StatusPending {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	h.must(at("203.0.113.1"), push("carol@sandbox"))

	// A push with a wrong password has reached nobody.
	wrong := withPassword
	wrong.User, wrong.Input.Credentials = "bob@sandbox", &platform.Credentials{PassKey: "not it"}
	h.refused(here, wrong, fault.SignInRefused)
	withPassword.User = "bob@sandbox"
	h.must(here, withPassword)

	// A push that nobody can ask about is none that waits.
	c := at("203.0.113.2")
	gone, err := h.Sessions.StartPre(t.Context(), true, nil)
	if err == nil {
		err = h.Sessions.SignOut(t.Context(), gone)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.refused(with(c, gone), push("carol@sandbox"), fault.SessionRequired)
	h.must(c, push("carol@sandbox"))
}

// Pushes are limited per account from any address, for unknown accounts too, and an
// accepted one does not count.
func TestPush_LimitedPerAccount(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Push = limit(t, "3/h")
	for _, user := range []string{alice, nobody, "erin@sandbox"} {
		for i := range 3 {
			h.must(at(fmt.Sprintf("192.0.2.%d", i)), push(user))
		}
		a := push(user)
		a.Input.Credentials, a.Method = &platform.Credentials{PassKey: right}, signin.MethodPassword
		for i, attempt := range []signin.Attempt{push(user), a} {
			if f := h.refused(at(fmt.Sprintf("192.0.2.%d", 10+i)), attempt, fault.RequestRate); f.RetrySeconds() < 60 {
				t.Errorf("%s: retry in %d s", user, f.RetrySeconds())
			}
		}
	}
	if n := h.calls("/login"); n != 9 {
		t.Errorf("%d pushes went out", n)
	}
	for range 5 {
		waiting := h.must(here, push("carol@sandbox"))
		h.decide(idOf(waiting), "accept")
		if result, err := h.poll(t.Context(), with(here, waiting.Session), idOf(waiting)); err != nil || result.Session == nil {
			t.Fatalf("%+v, %v", result, err)
		}
	}
}

// However often and on whichever node a client polls, the platform is asked once a second
// about each push, real or decoy.
func TestPush_PollingLimited(t *testing.T) {
	t.Parallel()
	h := build(t)
	other := h.anotherNode()
	for _, user := range []string{alice, nobody, "dave@sandbox"} {
		waiting := h.must(here, push(user))
		c, id := with(here, waiting.Session), idOf(waiting)
		began, polls := time.Now(), 0
		h.calls("")
		for polls < 200 {
			for _, node := range []*signin.Service{h.Service, other} {
				result, err := node.Poll(t.Context(), c, id)
				if err != nil || result.Status != platform.StatusPending {
					t.Fatalf("%s: %+v, %v", user, result, err)
				}
				polls++
			}
		}
		if n, most := h.calls("/sessions/"), 1+int(time.Since(began)/time.Second)+1; n < 1 || n > most {
			t.Errorf("%s: asked %d times for %d polls, %d at most", user, n, polls, most)
		}
	}
}

// The platform's reasons against an account are for its owner; others see a push wait.
func TestPush_PollHidesAccountState(t *testing.T) {
	t.Parallel()
	h := build(t)
	owner := h.in(alice)
	for _, said := range []map[string]any{
		{"status": 400}, {"status": 404}, {"status": 409}, {"error": "User is disabled"}, {"error": "Invalid Request ID"}, {"error": "User account not found"}, {"body": map[string]any{"sessionStatus": "pending"}},
		{"body": map[string]any{"sessionStatus": "unknown"}},
	} {
		for _, user := range []string{alice, "dave@sandbox", nobody} {
			waiting := h.must(at(fmt.Sprint(said, user)), push(user))
			h.fails("sessionStatus", said)
			if result, err := h.poll(t.Context(), with(here, waiting.Session), idOf(waiting)); err != nil || result.Status != platform.StatusPending {
				t.Errorf("%v, %s: %+v, %v", said, user, result, err)
			}
		}
	}
	waiting := h.must(owner, push(alice))
	h.fails("sessionStatus", map[string]any{"error": "User is disabled"})
	if result, err := h.poll(t.Context(), with(owner, waiting.Session), idOf(waiting)); !fault.Is(err, fault.PlatformRefused) {
		t.Errorf("the owner: %+v, %v", result, err)
	}
}

// A push that reaches nobody times out like one that nobody answers.
func TestPush_DecoyTimesOut(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.PushTTL = time.Second
	for _, user := range []string{alice, nobody} {
		waiting := h.must(here, push(user))
		c := with(here, waiting.Session)
		for {
			result, err := h.poll(t.Context(), c, idOf(waiting))
			if err != nil {
				t.Fatal(err)
			}
			if result.Status == platform.StatusTimeout {
				break
			}
		}
		if _, err := h.Poll(t.Context(), c, idOf(waiting)); !fault.Is(err, fault.SignInUnknown) {
			t.Errorf("%s: it is asked about again: %v", user, err)
		}
	}
}

// wordsForPushes are spellings of the words that ask the platform for a push.
var wordsForPushes = []string{
	"NoPIN", "PIN", "Fingerprint", "Face", "pin", "nopin", "FINGERPRINT", "fAcE", " PIN", "P I N", "PIN\n", "no\u00a0pin", "\u3000Face",
	"\uff30\uff29\uff2e", "P\u200bIN", "\ufeffPIN", "\u202ePIN", "PI\u00adN", "F\ufe0face", "\U0001d40f\U0001d408\U0001d40d",
	"P\u034fIN", "\u115fPIN", "PIN\u1160", "PI\u3164N", "\uffa0Face", "P\u17b4\u17b5IN", "PIN\u2065", "No\ufff0PIN\ufff8", "\u2800PIN\u2800",
	"\u180bPIN", "P\u180fIN", "PIN\ufffa", "Fa\U000e0001ce", "PIN\U000e0080", "PIN\U000e01f0", "\U000e0fffPIN", "PIN\U0001d173", "Finger\u00adprint\u2064",
}

// A word that asks the platform for a push is a wrong password, and never reaches it.
func TestPush_WordAsPassword(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, word := range wordsForPushes {
		h.calls("")
		refusal := h.refused(here, password(alice, word), fault.SignInRefused)
		if n := h.calls("/login"); n != 0 || refusal.Specific != fault.AuthenticationFailed {
			t.Errorf("%q: %d logins at the platform, %s", word, n, refusal.Specific)
		}
	}
	for _, other := range []string{"PIN1", "Fingerprints", "Surface", "NoPINs", "P.I.N", "", "1"} {
		if word, ok := platform.PushWord(other); ok {
			t.Errorf("%q is the word %s", other, word)
		}
	}
}

// A push has a word as its credential: the setting's, or the client's if that asks for no
// less.
func TestPush_Word(t *testing.T) {
	t.Parallel()
	h := build(t)
	for i, test := range []struct{ setting, client, sent string }{
		{"NoPIN", "", "NoPIN"}, {"PIN", "", "PIN"}, {"Fingerprint", "", "Fingerprint"}, {"NoPIN", "no pin", "NoPIN"},
		{"NoPIN", "PIN", "PIN"}, {"NoPIN", "face", "Face"}, {"PIN", "Fingerprint", "Fingerprint"},
		{"PIN", "Face", "Face"}, {"Fingerprint", "Face", "Face"}, {"Fingerprint", "Fingerprint", "Fingerprint"},
		{"PIN", "NoPIN", "PIN"}, {"Fingerprint", "nopin", "Fingerprint"}, {"Fingerprint", "PIN", "Fingerprint"}, // never less than the setting
	} {
		h.PushProtection = test.setting
		a := push(alice)
		if test.client != "" {
			a.Input.Credentials = &platform.Credentials{PassKey: test.client}
		}
		c := at(fmt.Sprintf("203.0.113.%d", i)) // one waits at a time from an address
		if result := h.must(c, a); result.Status != platform.StatusPending {
			t.Errorf("%+v: %s", test, result.Status)
		}
		if sent := h.lastLogin(); !strings.Contains(sent, `"credentials":{"passKey":"`+test.sent+`"}`) {
			t.Errorf("%+v: sent %s", test, sent)
		}
	}
}

// A push that the platform does not understand is our fault: nobody is told to look at a
// phone that never rings.
func TestPush_NotUnderstood(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.fails("login", map[string]any{"status": 400, "body": map[string]any{
		"status": 400, "error": "Bad Request", "message": "Request is invalid",
		"validationErrors": []any{map[string]any{"object": "loginInput", "field": "credentials", "message": "is required"}},
	}})
	h.refused(here, push(alice), fault.PlatformFailed)
	h.must(here, push(alice)) // it counts as no push
}

// The platform's second factor after a right password costs as much as a push: one at a time
// from an address, so many from anywhere, and none beyond that reaches the platform.
func TestPush_SecondFactor(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Push = limit(t, "3/h")
	h.manage("PUT", "/users/"+alice, map[string]any{"secondFactor": true})

	first := h.must(here, password(alice, right))
	if first.Status != platform.StatusPending || first.Session == nil {
		t.Fatalf("%+v", first)
	}
	h.calls("")
	h.refused(here, password(alice, right), fault.RequestRate)
	h.refused(here, push(alice), fault.RequestRate)
	h.refused(here, password(alice, "wrong"), fault.RequestRate)
	if n := h.calls("/login"); n != 0 {
		t.Errorf("%d logins reached the platform while a second factor waits", n)
	}
	h.must(here, password(bob, right)) // another account

	id := idOf(first)
	h.decide(id, "accept")
	result, err := h.poll(t.Context(), with(here, first.Session), id)
	if err != nil || result.Status != platform.StatusAccepted || result.Session == nil {
		t.Fatalf("%+v, %v", result, err)
	}

	// An accepted one is given back; of others, the account takes three from anywhere.
	for i := range 3 {
		h.must(at(fmt.Sprintf("203.0.113.%d", i)), password(alice, right))
	}
	h.calls("")
	h.refused(at("203.0.113.9"), password(alice, right), fault.RequestRate)
	h.refused(at("203.0.113.9"), push(alice), fault.RequestRate)
	if n := h.calls("/login"); n != 0 {
		t.Errorf("%d logins reached the platform beyond the limit", n)
	}
}

// A push that did not reach the phone ends as failed for a client that knows that the account
// exists. For others it waits until the time is over, like a decoy, and the log and the audit
// trail have what the platform said.
func TestPush_FailsLater(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"failed", "failure"} {
		h := build(t)
		h.fails("sessionStatus", map[string]any{"times": 0, "body": map[string]any{"sessionStatus": said}})
		for i, user := range []string{alice, "dave@sandbox", nobody} {
			c := at(fmt.Sprintf("192.0.2.%d", i))
			waiting := h.must(c, push(user))
			c.Session = waiting.Session
			result, err := h.poll(t.Context(), c, idOf(waiting))
			if err != nil || result.Status != platform.StatusPending || result.Push != nil || (result.Ended != "") != (user == alice) {
				t.Errorf("%s of %s: %+v, %v", said, user, result, err)
			}
			start := h.Now
			h.Now = func() time.Time { return start().Add(h.Limits.PushTTL) }
			if result, err = h.poll(t.Context(), c, idOf(waiting)); err != nil || result.Status != platform.StatusTimeout {
				t.Errorf("%s of %s, when the time is over: %+v, %v", said, user, result, err)
			}
			h.Now = start
		}
	}
}

func TestPush_FailureIsTold(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.manage("PUT", "/users/carol@sandbox", map[string]any{"secondFactor": true})
	owner, known, others := h.in(alice), at("192.0.2.2"), at("192.0.2.3")
	known.KnownTo, others.KnownTo = bob, bob
	revealed := at("192.0.2.4")
	revealed.RevealAccountState = true
	h.fails("sessionStatus", map[string]any{"times": 0, "body": map[string]any{"sessionStatus": "failed"}})
	for name, test := range map[string]struct {
		client  signin.Client
		attempt signin.Attempt
		want    platform.SessionStatus
	}{
		"the owner":                      {owner, push(alice), platform.StatusFailed},
		"a browser known to the account": {known, push(bob), platform.StatusFailed},
		"one known to another":           {others, push(alice), platform.StatusPending},
		"an open installation":           {revealed, push(alice), platform.StatusFailed},
		"after the right password":       {here, password("carol@sandbox", right), platform.StatusFailed},
	} {
		waiting := h.must(test.client, test.attempt)
		result, err := h.poll(t.Context(), with(test.client, waiting.Session), idOf(waiting))
		if err != nil || result.Status != test.want {
			t.Errorf("%s: %+v, %v, want %s", name, result, err, test.want)
		}
	}
}
