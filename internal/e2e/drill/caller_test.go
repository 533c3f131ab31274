package drill_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// publicHost is the Host of people's requests.
const publicHost = "localhost:8080"

// answer is an answer; status 0 stands for none.
type answer struct {
	status int
	body   []byte
	node   string // which gave it
}

// text returns a text member of the answer's JSON object.
func (a answer) text(name string) string {
	text, _ := a.member(name).(string)
	return text
}

func (a answer) member(name string) any {
	var all map[string]any
	_ = json.Unmarshal(a.body, &all) // without JSON there is no such member
	return all[name]
}

// away reports whether the answer says that something is away, or there was none.
func (a answer) away() bool { return a.status == 0 || a.status >= 500 }

// call is one request.
type call struct {
	token, method, path, body string
	header                    map[string]string
}

// send sends a call to the proxy and counts its answer.
func (p *person) send(c call) answer {
	request, err := http.NewRequest(c.method, p.site.proxy.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		panic(err)
	}
	request.Host = publicHost
	request.Header.Set("Countersign-Session", "bearer")
	if c.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range c.header {
		request.Header.Set(name, value)
	}
	begin := time.Now()
	a := p.receive(request)
	p.tally().count(c, a, time.Since(begin))
	return a
}

func (p *person) receive(request *http.Request) answer {
	response, err := p.site.people.Do(request)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.Header.Get(unanswered) != "" {
		return answer{body: []byte(response.Header.Get(unanswered))}
	}
	return answer{response.StatusCode, body, response.Header.Get(answeredBy)}
}
