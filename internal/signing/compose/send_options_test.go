package compose

import (
	"strings"
	"testing"
	"time"
)

func asks(language, asker, name string) string {
	return language + ": " + asker + " asks for " + name + "."
}

// The message follows the name and the language until it is edited, and again once it is
// the sentence again.
func TestMessage_FollowsNameUntilEdited(t *testing.T) {
	f := New()
	f.Language, f.Asker = "en", "Ada"
	f.FollowName(asks)
	typed := func(name, language, message string) {
		all := map[string]string{"name": name, "language": language, "message": message}
		f.TypeSending(all, asks)
		f.Type(all, func(kind string) string { return kind })
		f.FollowName(asks)
	}
	for _, step := range []struct{ name, language, message, want string }{
		{"Mill", "en", "en: Ada asks for .", "en: Ada asks for Mill."},     // as it was shown
		{"Barn", "de", "de: Ada asks for Barn.", "de: Ada asks for Barn."}, // as a script renews it
		{"Barn", "de", "Please.\r\nSoon. ", "Please.\nSoon."},
		{"Mill", "en", "Please.\nSoon.", "Please.\nSoon."},
		{"Mill", "en", "", ""},
		{"Shed", "en", "", ""},
		{"Shed", "en", "en: Ada asks for Shed.", "en: Ada asks for Shed."},
		{"Mill", "en", "en: Ada asks for Shed.", "en: Ada asks for Mill."},
	} {
		if typed(step.name, step.language, step.message); f.Message != step.want {
			t.Errorf("%+v: the message is %q", step, f.Message)
		}
	}
}

// A package without a name is called after its first file.
func TestPackageName_FromFirstFile(t *testing.T) {
	for name, want := range map[string]string{"lease.pdf": "lease", "a.b.DOCX": "a.b", ".pdf": ".pdf", "v1.2": "v1.2", "notes.txt": "notes"} {
		f := New()
		f.AddDocument(Document{Name: name})
		if got := f.Title(); got != want {
			t.Errorf("%s is called %q", name, got)
		}
		f.Type(map[string]string{"name": want}, func(kind string) string { return kind })
		if f.Name != "" {
			t.Errorf("%s: the name shown counts as typed", name)
		}
		f.Type(map[string]string{"name": "Own"}, func(kind string) string { return kind })
		if f.Title() != "Own" {
			t.Errorf("%s: the typed name is %q", name, f.Title())
		}
	}
}

func TestAddresses_WithNames(t *testing.T) {
	for typed, want := range map[string]string{
		"Tom Tenant <tom@example.com>": "Tom|Tenant|tom@example.com", `"Tenant, Tom" <tom@example.com>,`: "Tom|Tenant|tom@example.com",
		"Anna  Maria Ek <a@b.co> ": "Anna Maria|Ek|a@b.co", "Tom <t@b.co>": "Tom||t@b.co", "<t@b.co>": "||t@b.co",
		"\u202aTom Tenant <t@b.co>\u202c": "Tom|Tenant|t@b.co", "\ufeff\"\u200bTom Tenant\u200b\" <t@b.co>;\u200b": "Tom|Tenant|t@b.co",
		"tom@example.com": "", "Tom <tom>": "", "Tom <t@b.co> x": "", "Tom t@b.co>": "",
	} {
		first, last, address, ok := named(typed)
		if got := strings.Join([]string{first, last, address}, "|"); ok != (want != "") || ok && got != want {
			t.Errorf("%q is read as %q, %v", typed, got, ok)
		}
	}
}

// What nobody sees around a name does not come with it.
func TestNames_PastedInvisibleCharacters(t *testing.T) {
	for typed, want := range map[string]string{"\u200b Ada\ufeff": "Ada", "\u202dAda\u202c\u00a0": "Ada", "A\u200dda": "A\u200dda", "\u200e\u00ad": ""} {
		r := Recipient{Key: "r1"}
		r.Type(map[string]string{"r1.email": "", "r1.first_name": typed, "r1.last_name": typed})
		if r.FirstName != want || r.LastName != want {
			t.Errorf("%q is read as %q, %q", typed, r.FirstName, r.LastName)
		}
	}
}

func TestSendOptions_Invalid(t *testing.T) {
	now := time.Date(2030, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		sending SendOptions
		want    string
	}{
		{SendOptions{}, ""}, {SendOptions{Due: "2030-06-01"}, ""}, {SendOptions{Due: "2030-05-31"}, "due field.day-over"}, {SendOptions{Due: "1.6.2030"}, "due field.day"},
		{SendOptions{Due: "2030-06-01", Zone: "Pacific/Kiritimati"}, "due field.day-over"}, {SendOptions{Due: "2030-05-31", Zone: "Etc/GMT+12"}, "due field.day-over"},
		{SendOptions{RemindFirst: "1", RemindEvery: "365", RemindMost: "5"}, ""}, {SendOptions{RemindFirst: "1"}, "remind_every field.required, remind_most field.required"},
		{SendOptions{RemindFirst: "0", RemindEvery: "366", RemindMost: "-1"}, "remind_first field.remind-days, remind_every field.remind-days, remind_most field.remind-most"},
	} {
		var got []string
		for _, field := range c.sending.invalid(now) {
			got = append(got, field.Pointer+" "+field.Detail)
		}
		if said := strings.Join(got, ", "); said != c.want {
			t.Errorf("%+v: %s, want %s", c.sending, said, c.want)
		}
	}
}
