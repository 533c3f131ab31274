package signing_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
)

// outbox returns the messages sent since the last call, each as kind, address and
// subject.
func (c client) outbox(seen *int) []string {
	c.t.Helper()
	messages := c.manage("GET", "outbox", nil).ok()["messages"].([]any)
	var lines []string
	for _, one := range messages[*seen:] {
		m := one.(object)
		lines = append(lines, strings.TrimSpace(m["kind"].(string)+" "+m["to"].(string)+" "+m["subject"].(string)))
	}
	*seen = len(messages)
	return lines
}

func withPhone(r object, phone string, methods ...string) object {
	one := maps.Clone(r["signers"].([]object)[0])
	one["phone"], one["notificationMethods"] = phone, object{"primary": methods}
	r["signers"] = []object{one}
	return r
}

func TestInvitations_Sent(t *testing.T) {
	c := start(t)
	seen := 0
	sent := func(want ...string) {
		t.Helper()
		same(t, "sent", strings.Join(c.outbox(&seen), "\n"), strings.Join(want, "\n"))
	}
	path := c.sentPackage(object{"emailMessage": "Zoë asks you to, before Friday."})
	sent("email ada@example.org Please sign: Loan")
	last := at(t, c.manage("GET", "outbox", nil).ok(), "messages.0").(object)
	link := at(t, last, "links.0").(string)
	if text := last["text"].(string); !strings.HasPrefix(text, "Hello Ada Lovelace,\n\nplease sign “Loan”.\n\nZoë asks you to, before Friday.") || !strings.Contains(text, link) {
		t.Errorf("%q", text)
	}
	same(t, "link", link, c.get(path + "/roles/ada/signingUrl").ok()["url"])
	c.post(path+"/roles/ada/notifications", nil).empty()
	sent("email ada@example.org Reminder, please sign: Loan")
	c.post(path+"/roles/ada/sms_notification", nil).empty() // without a phone nothing is sent
	c.post(path+"/notifications", object{"email": "BOB@example.org", "message": "soon"}).empty()
	sent("email bob@example.org Reminder, please sign: Loan")
	c.post(path+"/notifications", object{"email": "eve@example.org"}).refused(http.StatusNotFound, "error.notFound.roleNotFound")
	c.as(path, "ada").post(path+"/documents/signed_documents", everything).empty()
	sent("email bob@example.org Please sign: Loan")
	c.put(path+"/roles/bob", withPhone(object{"signers": []object{{"email": "eve@example.org"}}}, "+431234567", "EMAIL", "SMS")).ok()
	sent("email eve@example.org Please sign: Loan", "sms +431234567")
	c.post(path+"/roles/bob/sms_notification", nil).empty()
	sent("sms +431234567")
	c.as(path, "bob").post(path+"/documents/signed_documents", everything).empty()
	sent("email sandbox@sandbox.example Signed by all: Loan", "email ada@example.org Signed by all: Loan",
		"email eve@example.org Signed by all: Loan", "sms +431234567")
	c.post(path+"/roles/ada/notifications", nil).refused(http.StatusBadRequest, "error.validation.package.invalidState")
}

func TestInvitations_Languages(t *testing.T) {
	c := start(t)
	seen := 0
	languages := map[string]string{
		"de": "Bitte unterschreiben: P", "de-AT": "Bitte unterschreiben: P", "es": "Firme, por favor: P", "fr_CA": "Veuillez signer : P",
		"ja": "署名のお願い: P", "pt": "Please sign: P",
	}
	for language, want := range languages {
		path := c.create(object{"name": "P", "language": language, "status": "SENT", "roles": []object{signerRole("a", "ada@example.org")}})
		same(t, language, strings.Join(c.outbox(&seen), "\n"), "email ada@example.org "+want)
		c.put(path, object{"status": "DECLINED", "messages": []object{{"content": "no"}}}).empty()
		if sent := c.outbox(&seen); len(sent) != 1 || !strings.HasPrefix(sent[0], "email sandbox@sandbox.example ") || strings.Contains(sent[0], "%!") {
			t.Errorf("%s: %q", language, sent)
		}
	}
}

func TestReminders_Sent(t *testing.T) {
	c := start(t)
	seen := 0
	path := c.create(object{"name": "P", "roles": []object{signerRole("a", "ada@example.org")}, "due": "2090-01-01T00:00:00Z"})
	same(t, "without", c.get(path+"/reminders").status, http.StatusNoContent)
	id := strings.TrimPrefix(path, "/api/packages/")
	c.post(path+"/reminders", object{"packageId": id, "startInDaysDelay": 2, "intervalInDays": 3, "repetitionsCount": 2}).ok()
	c.put(path, object{"status": "SENT"}).empty()
	c.outbox(&seen)
	advance := func(by string, want int) {
		t.Helper()
		c.manage("POST", "clock", object{"advance": by})
		same(t, "reminders after "+by, len(c.outbox(&seen)), want)
	}
	advance("47h", 0)
	advance("2h", 1)
	planned := c.get(path + "/reminders").ok()
	same(t, "first", at(t, planned, "reminders.0.sentDate") != nil, true)
	_, has := planned["reminders"].([]any)[1].(object)["sentDate"]
	same(t, "second", has, false)
	advance("70h", 0)
	advance("2h", 1)
	advance("9000h", 0)
	c.put(path+"/reminders", object{"packageId": id, "startInDaysDelay": 1, "repetitionsCount": 1}).ok()
	advance("20h", 0)
	advance("5h", 1)
}

// Names that are written from right to left, or that turn what follows, leave the rest of a
// message as it is, in the subject too.
func TestMessages_IsolateNames(t *testing.T) {
	for name, want := range map[string]string{
		"Loan": "Loan", "Zoë & 山田 2/3": "Zoë & 山田 2/3", "a\u200db\u200e": "a\u200db\u200e",
		"\u05d7\u05d5\u05d6\u05d4": "\u2068\u05d7\u05d5\u05d6\u05d4\u2069", "\u0639\u0642\u062f (2)": "\u2068\u0639\u0642\u062f (2)\u2069", "No \u0661\u0662": "\u2068No \u0661\u0662\u2069",
		"Lease \u202efdp.exe": "\u2068Lease fdp.exe\u2069", "a\u2067b": "\u2068ab\u2069", "a\u2069b\u2066": "\u2068ab\u2069", "\u202a\u202b\u202c\u202d": "\u2068\u2069",
	} {
		c := start(t)
		one := signerRole("a", "ada@example.org")
		one["signers"].([]object)[0]["lastName"] = name
		c.create(object{"name": name, "status": "SENT", "roles": []object{one}})
		m := at(t, c.manage("GET", "outbox", nil).ok(), "messages.0").(object)
		same(t, name, m["subject"], "Please sign: "+want)
		if text := m["text"].(string); !strings.Contains(text, "sign “"+want+"”.") || strings.Contains(text, "\u202e") {
			t.Errorf("%+q", text)
		}
	}
}
