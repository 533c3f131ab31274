package compose_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The form asks per recipient; what is asked lies with the draft, outlasts a reload and the
// sending, and can be taken back while it is a draft.
func TestForm_RequirementsPerRecipient(t *testing.T) {
	s := openSite(t)
	browser, path, id := s.draft("r1.ask_passkey", "yes")
	if asked := s.askedBy(id); asked["passkey"] == nil || asked["passkey"].MaxAge != 300 || asked["identity"] != nil {
		t.Errorf("asked is %+v", asked)
	}
	page := string(browser.Page(path).Want(http.StatusOK).Body)
	if !strings.Contains(page, `name="r1.ask_passkey" type="checkbox" value="yes" checked`) || strings.Contains(page, `name="r1.ask_identity" type="checkbox" value="yes" checked`) {
		t.Errorf("the form is %s", page)
	}
	s.owner.Send("PUT", "/api/packages/"+id+"/roles/recipient-1/proofs", members{"passkey": members{"maxAge": 45}}).Want(http.StatusOK)
	revision := revisionIn(t, page)
	browser.PostParts(path, append(slices.Clone(aRecipient), "do", "save", "revision", revision, "r1.ask_passkey", "yes", "r1.ask_identity", "yes")...).Want(http.StatusSeeOther)
	if asked := s.askedBy(id); asked["passkey"] == nil || asked["passkey"].MaxAge != 45 || asked["identity"] == nil || asked["identity"].MaxAge != 7776000 {
		t.Errorf("asked is %+v", asked)
	}
	page = string(browser.Page(path).Want(http.StatusOK).Body)
	browser.PostParts(path, append(slices.Clone(aRecipient), "do", "save", "revision", revisionIn(t, page))...).Want(http.StatusSeeOther)
	if asked := s.askedBy(id); asked["passkey"] != nil || asked["identity"] != nil {
		t.Errorf("asked is %+v", asked)
	}
}

// A page that was open while a program set what is asked changes it only where the person
// chose something else.
func TestForm_KeepsRequirementsSetByProgram(t *testing.T) {
	s := openSite(t)
	browser, path, id := s.draft()
	set := func(asked members) {
		t.Helper()
		s.owner.Send("PUT", "/api/packages/"+id+"/roles/recipient-1/proofs", asked).Want(http.StatusOK)
	}
	send := func(page string, chosen ...string) {
		t.Helper()
		shown := regexp.MustCompile(`name="r1.asked" value="([^"]*)"`).FindStringSubmatch(page)
		if shown == nil {
			t.Fatal("the form does not say what it showed")
		}
		fields := append(append(slices.Clone(aRecipient), "do", "save", "revision", revisionIn(t, page), "r1.asked", shown[1]), chosen...)
		browser.PostParts(path, fields...).Want(http.StatusSeeOther)
	}
	page := string(browser.Page(path).Want(http.StatusOK).Body)
	set(members{"passkey": members{"maxAge": 45}})
	send(page) // nothing chosen
	if asked := s.askedBy(id); asked["passkey"] == nil || asked["passkey"].MaxAge != 45 || asked["identity"] != nil {
		t.Errorf("asked is %+v", asked)
	}
	page = string(browser.Page(path).Want(http.StatusOK).Body)
	set(members{"identity": members{}})
	send(page, "r1.ask_passkey", "yes") // as it was shown
	if asked := s.askedBy(id); asked["passkey"] != nil || asked["identity"] == nil {
		t.Errorf("asked is %+v", asked)
	}
	page = string(browser.Page(path).Want(http.StatusOK).Body)
	set(members{"passkey": members{}, "identity": members{"maxAge": 3600}})
	send(page) // the identity is no longer asked
	if asked := s.askedBy(id); asked["passkey"] == nil || asked["identity"] != nil {
		t.Errorf("asked is %+v", asked)
	}
}

// aRecipient are the inputs of a draft with one recipient.
var aRecipient = []string{"name", "Lease", "r1.first_name", "Bob", "r1.last_name", "Müller", "r1.email", "bob@sandbox.example", "r1.by_email", "yes"}

// draft saves a draft of alice's by its form, with these inputs too.
func (s *site) draft(more ...string) (browser *e2etest.Client, path, id string) {
	s.t.Helper()
	browser = e2etest.Browser(s.t, s.app).SignedIn(alice)
	fields := append(append(slices.Clone(aRecipient), "do", "save", "once", "1"), more...)
	path, _, _ = strings.Cut(browser.PostParts("/packages/new", fields...).Want(http.StatusSeeOther).Header.Get("Location"), "?")
	path, _, _ = strings.Cut(path, "#")
	id, err := url.PathUnescape(strings.TrimPrefix(path, "/packages/new/"))
	if err != nil || id == "" {
		s.t.Fatalf("the draft is at %q", path)
	}
	return browser, path, id
}

// askedBy returns what a draft of the form asks of its first recipient.
func (s *site) askedBy(id string) map[string]*struct{ MaxAge int } {
	s.t.Helper()
	var asked map[string]*struct{ MaxAge int }
	if err := json.Unmarshal(s.owner.Send("GET", "/api/packages/"+id+"/roles/recipient-1/proofs", nil).Want(http.StatusOK).Body, &asked); err != nil {
		s.t.Fatal(err)
	}
	return asked
}

func revisionIn(t *testing.T, page string) string {
	t.Helper()
	match := regexp.MustCompile(`name="revision" value="(\d+)"`).FindStringSubmatch(page)
	if match == nil {
		t.Fatal("the form has no revision")
	}
	return match[1]
}
