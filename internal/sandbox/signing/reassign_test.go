package signing_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A signer who can pass the signing on names somebody else, who is invited in their place;
// nobody else may.
func TestReassignment_SignerNamesSomebodyElse(t *testing.T) {
	c := start(t)
	path := c.sentPackage(object{"emailMessage": "Please."})
	page := signingPage(path)
	ada := c.as(path, "ada")
	form := url.Values{"action": {"pass-on"}, "firstName": {"Eve"}, "lastName": {"Baker"}, "email": {"eve@example.org"}}
	same(t, "offered", strings.Contains(ada.get(page).text, "Pass it on"), false)
	same(t, "not allowed", ada.press(page, form.Encode()).status, http.StatusForbidden)
	c.put(path+"/roles/ada", object{"reassign": true}).ok()
	same(t, "offered", strings.Contains(ada.get(page).text, "Pass it on"), true)
	same(t, "asked", strings.Contains(ada.get(page+"?pass-on=ask").text, `name="firstName"`), true)
	seen := 0
	c.outbox(&seen)
	for _, wrong := range []string{"", "eve", "Bob@example.org", "Eve <eve@example.org>"} {
		form.Set("email", wrong)
		r := ada.press(page, form.Encode())
		if r.status != http.StatusUnprocessableEntity || !strings.Contains(r.text, `id="eemail"`) || !strings.Contains(r.text, `value="Baker"`) {
			t.Errorf("%q: %d %s", wrong, r.status, r.text)
		}
	}
	form.Set("email", "eve@example.org")
	r := ada.press(page, form.Encode())
	if r.status != http.StatusOK || !strings.Contains(r.text, "You have passed it on.") {
		t.Fatalf("%d %s", r.status, r.text)
	}
	same(t, "invited", strings.Join(c.outbox(&seen), "\n"), "email eve@example.org Please sign: Loan")
	same(t, "signer", at(t, c.get(path+"/roles/ada").ok(), "signers.0.email"), "eve@example.org")
	same(t, "of the former signer", ada.press(page, form.Encode()).status, http.StatusForbidden)
	trail := c.get(path + "/evidence/summary").text
	for _, line := range []string{`Role Invite  Ada`, `Role Reassign  Eve Baker  by Ada`, `Role Invite  Eve Baker  by Ada`} {
		if !regexp.MustCompile(line).MatchString(trail) {
			t.Errorf("no %s in %s", line, trail)
		}
	}
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	same(t, "status", c.get(path + "/roles/ada").ok()["signers"] != nil, true)
}
