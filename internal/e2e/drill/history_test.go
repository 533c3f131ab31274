package drill_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/internal/e2e/historytest"
)

// ask sends a call and records what its answer says of a thing. told is a secret that
// names the thing.
func (p *person) ask(thing historytest.Thing, told string, of func(historytest.Answer) historytest.Said, c call) answer {
	since := time.Now()
	a := p.send(c)
	said := of(historytest.Answer{Status: a.status, Key: a.text("key")})
	p.site.history.Note(historytest.Event{Thing: thing, ID: named(told), Said: said, Asked: since})
	return a
}

// noteBegun records that a thing is there, which was asked for at since.
func (p *person) noteBegun(thing historytest.Thing, told string, since time.Time) {
	p.site.history.Note(historytest.Event{Thing: thing, ID: named(told), Said: historytest.Begun, Asked: since})
}

// named returns a short name for what is long or secret.
func named(told string) string {
	sum := sha256.Sum256([]byte(told))
	return hex.EncodeToString(sum[:6])
}

// make sends a request with a key, and records the package that it made.
func (p *person) make(key string, c call) answer {
	e := historytest.Event{Thing: historytest.Key, ID: key, Said: historytest.Unclear, Asked: time.Now()}
	a := p.send(c)
	switch {
	case a.status == http.StatusOK:
		e.Said, e.Package = historytest.Made, a.text("id")
	case a.status >= 400 && a.status < 500 && a.text("key") != "request.idempotency-busy":
		e.Said = "" // it was refused, and nothing was sent; a busy key's record may be gone since
	}
	p.site.history.Note(e)
	return a
}

// countPackages records how many packages of that name the platform has, if it tells.
func (p *person) countPackages(name string) {
	since, client := time.Now(), http.Client{Timeout: 5 * time.Second}
	response, err := client.Get(p.site.platform.Sandbox + "/api/packages?search=" + url.QueryEscape(name))
	if err != nil {
		return
	}
	defer response.Body.Close()
	var found struct{ Results []struct{ Name string } }
	if response.StatusCode != http.StatusOK || json.NewDecoder(response.Body).Decode(&found) != nil {
		return
	}
	count := 0
	for _, one := range found.Results {
		if one.Name == name { // the search also finds longer names
			count++
		}
	}
	p.site.history.Note(historytest.Event{Thing: historytest.Key, ID: name, Said: historytest.Counted, Count: count, Asked: since})
}

// judgeHistory fails the test if no order explains what was asked and answered.
func (s *site) judgeHistory(name string) {
	s.t.Helper()
	s.writeHistory(name)
	events, found := s.history.Judge()
	s.t.Logf("%s: a history of %d events, of which %d things have no explanation", name, events, len(found))
	for _, violation := range found {
		s.t.Error(violation)
	}
}

// historySees fails the test unless the history is wrong about these things.
func (s *site) historySees(broken ...historytest.Thing) {
	s.t.Helper()
	_, found := s.history.Judge()
	seen := map[historytest.Thing]bool{}
	for _, violation := range found {
		seen[violation.Thing] = true
	}
	for _, thing := range broken {
		if !seen[thing] {
			s.t.Errorf("the history does not show what was undone of any %s", thing)
		}
	}
}

// writeHistory writes the history to a file, if the flag asks for it.
func (s *site) writeHistory(name string) {
	s.t.Helper()
	if *histories == "" {
		return
	}
	err := os.MkdirAll(*histories, 0o750)
	var file io.WriteCloser
	if err == nil {
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune(` /:"()`+"`,'", r) {
				return '-'
			}
			return r
		}, name)
		file, err = os.Create(filepath.Join(*histories, name+".jsonl"))
	}
	if err == nil {
		_, err = s.history.WriteTo(file)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		s.t.Error(err)
	}
}
