package drill_test

import (
	"maps"
	"net/http"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
)

// device is a person's app whose session is bound to a key.
type device struct {
	key   *dpop.Key
	token string
	taken []call // requests whose proof was taken, each with that proof
}

// takenAtMost limits the requests that are sent again at the end.
const takenAtMost = 20

// newDevice signs the person in with a key.
func (p *person) newDevice() *device {
	key, err := dpop.NewKey()
	if err != nil {
		p.site.t.Fatal(err)
	}
	d := &device{key: key}
	e2etest.Eventually(p.site.t, p.user+" has a bound session", func() bool {
		d.token = p.send(d.proven("POST", "/users/"+p.user+"/login", e2etest.RightPassword)).text("sessionToken")
		return d.token != ""
	})
	return d
}

// proven returns a call with a new proof.
func (d *device) proven(method, path, body string) call {
	proof, err := d.key.Prove(dpop.Call{Method: method, URL: "http://" + publicHost + path, Token: d.token}, time.Now())
	if err != nil {
		panic(err)
	}
	c := call{method: method, path: path, body: body, header: map[string]string{"DPoP": proof}}
	if d.token != "" {
		c.header["Authorization"] = "DPoP " + d.token
	}
	return c
}

// prove looks at the bound session, and sends the same proof again to the other node.
// Whether that may be taken, so soon, is for the history to judge.
func (p *person) prove() {
	since, c := time.Now(), p.device.proven("GET", "/session", "")
	p.noteBegun(historytest.Proof, c.header["DPoP"], since)
	first := p.show(c)
	if first.status != http.StatusOK {
		return
	}
	p.device.taken = append(p.device.taken, c)
	p.device.taken = p.device.taken[max(0, len(p.device.taken)-takenAtMost):]
	c.header = maps.Clone(c.header)
	c.header[notBy] = first.node
	p.show(c)
}

// show sends a request with its proof, and records what became of the proof.
func (p *person) show(c call) answer {
	return p.ask(historytest.Proof, c.header["DPoP"], historytest.OfProof, c)
}

// takeStockOfProofs checks that the bound session is there, and that no proof that was
// taken is taken again.
func (p *person) takeStockOfProofs(counts *tally) {
	var who answer
	e2etest.Eventually(p.site.t, p.user+"'s device is answered", func() bool {
		who = p.send(p.device.proven("GET", "/session", ""))
		return !who.away()
	})
	if who.status != http.StatusOK {
		counts.found(&counts.sessionsLost)
		p.device = p.newDevice()
		return
	}
	for _, c := range p.device.taken {
		var again answer
		e2etest.Eventually(p.site.t, "a proof that was taken is answered", func() bool { again = p.show(c); return !again.away() })
		if again.status == http.StatusOK {
			counts.found(&counts.twice)
		}
	}
	p.device.taken = nil
}
