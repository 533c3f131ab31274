package templates

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"countersign/internal/i18n"
)

// View is the data of a template: the page, and the texts of its language.
type View struct {
	Common
	Page    any
	Item    any
	printer *i18n.Printer
	pages   *Pages
}

// With returns the view of one item of the page, for a separate template.
func (v View) With(item any) View {
	v.Item = item
	return v
}

// Tag returns the language in which the page is really written.
func (v View) Tag() string { return v.printer.Tag() }

// T returns the message of id.
func (v View) T(id string, args ...any) string { return v.printer.T(id, args...) }

// N returns the message of id in the plural form for count.
func (v View) N(id string, count int) string { return v.printer.N(id, count) }

// Plain returns the message of id without isolating what it is filled with.
func (v View) Plain(id string, args ...any) string { return v.printer.Plain(id, args...) }

// List returns the names as a list in a sentence.
func (v View) List(names ...string) string { return v.printer.List(names...) }

// Join returns the sentences one after the other.
func (v View) Join(sentences ...string) string { return v.printer.Join(sentences...) }

// Asset returns the address of a file; a missing file is an error.
func (v View) Asset(name string) (string, error) {
	if !v.pages.assets.Has(name) {
		return "", fmt.Errorf("no asset %q", name)
	}
	return v.pages.assets.URL(name), nil
}

// At reports whether the page's path is path.
func (v View) At(path string) bool {
	here, _, _ := strings.Cut(v.Path, "?")
	return here == path
}

// Within reports whether the page's path is path, or below it.
func (v View) Within(path string) bool { return v.At(path) || strings.HasPrefix(v.Path, path+"/") }

// Number returns n in the digits of the language.
func (v View) Number(n int) string { return v.printer.Number(n) }

// HasPackages reports whether signing packages is in use.
func (v View) HasPackages() bool { return v.pages.packages }

// HasVerifications reports whether identity verification is in use.
func (v View) HasVerifications() bool { return v.pages.verifications }

// IsOperator reports whether the person acts for the whole account.
func (v View) IsOperator() bool {
	return v.Person != nil && v.pages.operator != nil && v.pages.operator(v.Person.ID)
}

// HasCustomFields reports whether the person may edit the account's custom fields.
func (v View) HasCustomFields() bool {
	return v.pages.packages && v.IsOperator()
}

// Here returns Path, or "/" if Path could lead to another site.
func (v View) Here() string {
	if !strings.HasPrefix(v.Path, "/") || strings.HasPrefix(v.Path, "//") || strings.Contains(v.Path, `\`) {
		return "/"
	}
	return v.Path
}

// Name returns the name to show for the person.
func (v View) Name() string {
	if v.Person == nil {
		return ""
	}
	return v.Person.Name()
}

// Name returns the display name, else the id.
func (p Person) Name() string { return cmp.Or(p.DisplayName, p.ID) }

// HasMadeAlone reports whether the page may have a passkey made by itself: not that of the
// sign-in, which has separate prompts.
func (v View) HasMadeAlone() bool { return v.MakesPasskey && v.Person != nil && !v.At("/login") }

// WhereKept says where a key of that kind can be; "" where that is not known.
func (v View) WhereKept(kind string) string {
	switch kind {
	case "synced":
		return v.T("page.authenticators.synced")
	case "device-bound":
		return v.T("page.authenticators.device-bound")
	}
	return ""
}

// ISO returns t for machines: RFC 3339 in UTC.
func (v View) ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// When returns t for people.
func (v View) When(t time.Time) string { return v.printer.DateTime(t) }

// Date returns the day of t, in UTC, in the language's usual form.
func (v View) Date(t time.Time) string { return v.printer.Date(t) }

// Device describes a device in words that its owner will recognize.
func (v View) Device(userAgent string) string { return v.printer.Device(userAgent) }

// WhenAfter returns t in the language's usual form, without the date if t is on the same
// day as before.
func (v View) WhenAfter(before, t time.Time) string {
	const day = time.DateOnly
	if before.UTC().Format(day) == t.UTC().Format(day) {
		return v.printer.Clock(t)
	}
	return v.printer.DateTime(t)
}

// WhenExactly returns t for people, to the second.
func (v View) WhenExactly(t time.Time) string { return v.printer.ExactTime(t) }

// HasPasskeys reports whether the page is about passkeys.
func (v View) HasPasskeys() bool {
	return v.At("/login") || v.At("/authenticators") || v.At("/") && v.Person == nil
}

// ChoosesLanguage reports whether the page offers a choice of language; signed-in people
// have it on /account instead.
func (v View) ChoosesLanguage() bool { return v.Person == nil && (v.At("/login") || v.At("/")) }

// Languages returns the language tags to choose from.
func (v View) Languages() []string { return v.pages.bundle.Languages() }

// LanguageName returns the language's own name of itself.
func (v View) LanguageName(tag string) string { return v.pages.bundle.For(tag).Name() }

// NoticeID returns the message id of the notice, or "".
func (v View) NoticeID() string {
	id := "page.notice." + string(v.Notice)
	if v.Notice == "" || v.T(id) == id {
		return ""
	}
	return id
}

// Day returns the day of t for people, in UTC, without the year if it is the year of now.
func (v View) Day(t, now time.Time) string { return v.printer.Day(t, now) }

// Range returns which items of how many are shown, such as "1–20 of 32".
func (v View) Range(first, last, count int) string {
	return v.T("page.lists.range", "First", v.Number(first), "Last", v.Number(last), "Count", v.Number(count))
}

// Span returns a number of seconds in the largest unit that needs no fraction.
func (v View) Span(seconds int64) string {
	for _, unit := range []struct {
		id   string
		size int64
	}{{"page.proofs.days", 86400}, {"page.proofs.hours", 3600}, {"page.proofs.minutes", 60}} {
		if seconds%unit.size == 0 {
			return v.N(unit.id, int(seconds/unit.size))
		}
	}
	return v.N("page.proofs.seconds", int(seconds))
}
