package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// statuses calls two operations, turn by turn, and returns what each call came to in the
// journal.
func (p platform) statuses(calls int) (all string) {
	p.t.Helper()
	p.manage(http.MethodDelete, "journal", nil)
	for range calls {
		for _, path := range []string{"/users/alice@sandbox", "/fido-registrations"} {
			response, err := http.DefaultTransport.RoundTrip(p.request(http.MethodGet, path, ""))
			if err == nil {
				response.Body.Close()
			}
		}
	}
	for _, e := range p.journal() {
		all += fmt.Sprintf("%s %v %s\n", e["operation"], e["status"], e["fault"])
	}
	return all
}

func TestChaos_RepeatsBySeed(t *testing.T) {
	p, other := start(t), start(t)
	calm := p.statuses(10)
	chaos := object{"rate": 0.5, "delay": "0s..2us", "statuses": []int{500, 503}, "cut": true, "seed": 7}
	p.manage(http.MethodPost, "chaos", chaos)
	first := p.statuses(60)
	p.manage(http.MethodPost, "chaos", chaos)
	if again := p.statuses(60); again != first {
		t.Errorf("the same seed decides otherwise: %q, then %q", first, again)
	}
	other.manage(http.MethodPost, "chaos", chaos)
	same(t, "of another sandbox", other.statuses(60), first)
	other.manage(http.MethodPost, "chaos", object{"rate": 0.5, "statuses": []int{500, 503}, "cut": true, "seed": 8})
	if other.statuses(60) == first {
		t.Error("another seed decides alike")
	}
	kinds := map[string]int{}
	for one := range strings.Lines(first) {
		words := strings.SplitN(strings.TrimSuffix(one, "\n"), " ", 3)
		kind := words[2]
		if i := strings.LastIndex(kind, ", "); i >= 0 {
			kind = kind[i+2:]
		}
		kinds[kind]++
		if status, asked := strings.CutPrefix(kind, "status "); asked && status != words[1] || kind == "" && words[1] != "200" || kind == "cut 0" && words[1] != "0" {
			t.Errorf("the journal says %q", one)
		}
	}
	if len(kinds) != 4 || kinds[""] < 40 || kinds[""] > 80 {
		t.Errorf("of 120 calls: %v", kinds)
	}
	for _, end := range []func(){
		func() { p.manage(http.MethodDelete, "chaos", nil) },
		func() { p.manage(http.MethodPost, "chaos", object{"rate": 0}) },
		func() { p.manage(http.MethodPost, "reset", nil) },
	} {
		p.manage(http.MethodPost, "chaos", object{"rate": 1, "statuses": []int{503}})
		same(t, "all fail", p.statuses(1), "getUser 503 status 503\nlistFidoRegistrations 503 status 503\n")
		end()
		same(t, "after its end", p.statuses(10), calm)
	}
}

// A call that fails as it was asked for counts as one of chaos' calls.
func TestFault_PrecedesChaos(t *testing.T) {
	p := start(t)
	p.manage(http.MethodPost, "chaos", object{"rate": 1, "statuses": []int{503}})
	p.manage(http.MethodPost, "faults", object{"operation": "getUser", "error": "User is locked"})
	same(t, "first", p.statuses(2), "getUser 409 status 409\nlistFidoRegistrations 503 status 503\n"+
		"getUser 503 status 503\nlistFidoRegistrations 503 status 503\n")
}

func TestChaos_InvalidSettings(t *testing.T) {
	p := start(t)
	for field, bodies := range map[string][]object{
		"rate":     {{}, {"rate": -0.1}, {"rate": 1.1, "cut": true}, {"rate": 0.5}, {"rate": "1"}},
		"delay":    {{"rate": 1, "delay": "soon"}, {"rate": 1, "delay": "2s..1s"}, {"rate": 1, "delay": "-1s"}, {"rate": 1, "delay": "1s.."}, {"rate": 1, "delay": "11m"}, {"rate": 1, "delay": "1s..2s..3s"}},
		"statuses": {{"rate": 1, "statuses": []int{200}}, {"rate": 1, "statuses": []int{500, 600}}},
		"often":    {{"rate": 1, "cut": true, "often": true}},
	} {
		for _, body := range bodies {
			p.post("/_manage/chaos", body).invalid(t, field)
		}
	}
	same(t, "nothing is on", p.statuses(1), "getUser 200 \nlistFidoRegistrations 200 \n")
}
