package drill_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
)

// person is a signed-in person who acts continuously.
type person struct {
	site     *site
	user     string
	token    string // of the session that must last
	passkey  *authenticator.FIDO2
	kept     string // the passkey's id in the person's list
	operator bool
	once     bool // each upload has a key of its own, which Redis keeps for a day

	counts     atomic.Pointer[tally]
	open       *ceremony   // begun before something breaks
	ceremonies []*ceremony // whose response was sent
	gone       []string    // tokens of sessions that were ended
	files      int
	looks      int
	device     *device
}

// ceremony is a response that may be accepted once.
type ceremony struct {
	call
	accepted int
	again    bool // the client was told to send it again
	told     string
}

func (p *person) tally() *tally { return p.counts.Load() }

func newAuthenticator() *authenticator.FIDO2 {
	return authenticator.NewFIDO2(authenticator.Options{Origin: "http://" + publicHost, UserVerifying: true, Discoverable: true, Platform: true})
}

// newPerson makes a person at the platform, who signs in and registers a passkey.
func newPerson(s *site, number int) *person {
	p := &person{site: s, user: fmt.Sprintf("drill%02d@sandbox", number), passkey: newAuthenticator(), operator: number == 0, once: true}
	p.counts.Store(&tally{})
	s.manage("PUT", "users/"+p.user, fmt.Sprintf(`{"email":"drill%02d@drill.internal"}`, number))
	e2etest.Eventually(s.t, p.user+" is signed in", func() bool {
		p.token = p.login(e2etest.RightPassword, "").text("sessionToken")
		return p.token != ""
	})
	e2etest.Eventually(s.t, p.user+" has a passkey", func() bool {
		begun := p.begin(p.passkey)
		return begun != nil && p.finish(begun).status == http.StatusOK
	})
	e2etest.Eventually(s.t, p.user+"'s passkey is listed", func() bool {
		listed := p.listed()
		if len(listed) > 0 {
			p.kept = listed[0]
		}
		return p.kept != ""
	})
	p.ceremonies, p.device = nil, p.newDevice()
	return p
}

// steps are people's actions.
var steps = []func(*person){
	(*person).look, (*person).register, (*person).look, (*person).comeAndGo, (*person).look, (*person).usePasskey,
	(*person).prove, (*person).upload, (*person).look, (*person).export, (*person).prove, (*person).approve,
}

// look requests the session.
func (p *person) look() {
	if p.looks++; p.site.sparing && p.looks%50 != 0 {
		p.send(call{token: p.token, method: "GET", path: "/session"})
		return
	}
	p.use(p.token)
}

// use requests a session.
func (p *person) use(token string) answer {
	return p.ask(historytest.Session, token, historytest.OfSession, call{token: token, method: "GET", path: "/session"})
}

func (p *person) login(body, token string) answer {
	return p.send(call{token: token, method: "POST", path: "/users/" + p.user + "/login", body: body})
}

// begin begins the registration of a passkey; it returns nil on failure.
func (p *person) begin(a *authenticator.FIDO2) *ceremony {
	since := time.Now()
	begun := p.send(call{token: p.token, method: "POST", path: "/users/me/generate-fido-registration-request", body: e2etest.AskPasskey})
	response, err := a.Create(begun.text("registrationRequest"))
	if begun.status != http.StatusOK || err != nil {
		return nil
	}
	body, err := json.Marshal(map[string]string{"fidoProtocol": "FIDO2", "registrationResponse": response})
	if err != nil {
		panic(err)
	}
	p.noteBegun(historytest.Ceremony, string(body), since)
	return &ceremony{call: call{token: p.token, method: "POST", path: "/users/me/register-fido-device", body: string(body)}}
}

// finish sends the response of a ceremony, and again if the answer says so. After it was
// accepted it is spent: a later refusal for another reason means that it reached the
// platform a second time.
func (p *person) finish(c *ceremony) answer {
	if c.accepted == 0 && !c.again {
		p.ceremonies = append(p.ceremonies, c)
	}
	a := p.ask(historytest.Ceremony, c.body, historytest.OfCeremony, c.call)
	key := a.text("key")
	if a.status == http.StatusOK || c.accepted > 0 && a.status == http.StatusConflict && key != "ceremony.spent" && key != "ceremony.unknown" && key != "sign-in.refused" {
		c.accepted++
	}
	if c.again = a.status >= 500 && a.member("retryable") == true; c.again {
		c.told = string(a.body)
	}
	return a
}

// register registers another passkey, sends the same response once more, and removes the
// registration.
func (p *person) register() {
	c := p.begin(newAuthenticator())
	if c == nil || p.finish(c).status != http.StatusOK {
		return
	}
	p.finish(c)
	for _, id := range p.listed() {
		if id != p.kept {
			p.send(call{token: p.token, method: "DELETE", path: "/users/me/authenticators/" + id})
		}
	}
}

// listed returns the ids of the person's authenticators.
func (p *person) listed() (ids []string) {
	var list struct{ Authenticators []struct{ ID string } }
	_ = json.Unmarshal(p.send(call{token: p.token, method: "GET", path: "/users/me/authenticators"}).body, &list) // else there are none
	for _, one := range list.Authenticators {
		ids = append(ids, one.ID)
	}
	return ids
}

// comeAndGo signs in on another device and out again.
func (p *person) comeAndGo() { p.signOut(p.login(e2etest.RightPassword, "")) }

// signOut ends the session that a sign-in began.
func (p *person) signOut(signedIn answer) {
	token := signedIn.text("sessionToken")
	if signedIn.status != http.StatusOK || token == "" {
		return
	}
	p.noteBegun(historytest.Session, token, time.Now())
	out := p.ask(historytest.Session, token, historytest.OfSignOut, call{token: token, method: "DELETE", path: "/session"})
	if out.status >= 200 && out.status < 300 {
		p.gone = append(p.gone, token)
		p.use(token) // whether it may be there, so soon, is for the history to judge
	}
}

// usePasskey signs in with the passkey, and out.
func (p *person) usePasskey() {
	since := time.Now()
	begun := p.send(call{method: "POST", path: "/users/" + p.user + "/generate-fido-authentication-request", body: e2etest.AskPasskey})
	response, err := p.passkey.Get(begun.text("authenticationRequest"))
	if begun.status != http.StatusOK || err != nil {
		return
	}
	body, err := json.Marshal(map[string]any{"credentials": map[string]any{"fidoAuthenticator": map[string]any{"authenticationResponse": response}}})
	if err != nil {
		panic(err)
	}
	p.noteBegun(historytest.Ceremony, string(body), since)
	c := &ceremony{call: call{token: begun.text("sessionToken"), method: "POST", path: "/users/" + p.user + "/login", body: string(body)}}
	p.signOut(p.persist(c))
}

// persist finishes a ceremony, and again while it is told to: the passkey counts its
// uses, so the platform accepts no response older than the last.
func (p *person) persist(c *ceremony) answer {
	a := p.finish(c)
	if !c.again {
		return a
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for c.again {
		<-tick.C
		a = p.finish(c)
	}
	if a.status == http.StatusConflict {
		p.tally().found(&p.tally().cutShort)
		p.site.t.Logf("%s was told %s, and then %s", c.path, c.told, a.body)
	}
	return a
}

// approve signs in by a push to the person's phone, and out.
func (p *person) approve() {
	begun := p.login(e2etest.PushedSignIn, "")
	id, token := begun.text("requestID"), begun.text("sessionToken")
	if begun.status != http.StatusAccepted {
		return
	}
	p.site.manage("POST", "push/"+id, `{"decision":"accept"}`)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 10 {
		polled := p.send(call{token: token, method: "GET", path: "/sessions/" + id})
		if polled.status != http.StatusOK || polled.text("sessionStatus") != "pending" {
			p.signOut(polled)
			return
		}
		<-tick.C
	}
}

// paper is a small PDF.
const paper = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// upload makes a package with a document of some size, and deletes it. With a key, it is
// sent twice, and the platform is asked how many packages were made.
func (p *person) upload() {
	p.files++
	name := fmt.Sprintf("%s-%d", p.user, p.files)
	form := "--x-boundary\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n" + `{"name":"` + name + `","documents":[{"id":"d","name":"Paper"}]}` +
		"\r\n--x-boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"d.pdf\"\r\n\r\n" + paper + strings.Repeat("% padding\n", 10_000) + "\r\n--x-boundary--\r\n"
	header := map[string]string{"Content-Type": "multipart/form-data; boundary=x-boundary"}
	send := call{token: p.token, method: "POST", path: "/api/packages", body: form, header: header}
	var made answer
	if p.once {
		header["Idempotency-Key"] = name
		p.make(name, send)
		made = p.make(name, send)
		p.countPackages(name)
	} else {
		made = p.send(send)
	}
	if id := made.text("id"); made.status == http.StatusOK && id != "" {
		p.send(call{token: p.token, method: "DELETE", path: "/api/packages/" + id})
	}
}

// export reads the account's packages as an operator; others read their own list.
func (p *person) export() {
	path := "/api/packages"
	if p.operator {
		path = "/api/packages/export"
	}
	p.send(call{token: p.token, method: "GET", path: path})
}
