package templates

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/i18n"
)

// view is what a template sees: the page, and the words of its language.
type view struct {
	Common
	Page    any
	Item    any
	printer *i18n.Printer
	pages   *Pages
}

// With is the view of one item of the page, for a template of its own.
func (v view) With(item any) view {
	v.Item = item
	return v
}

// Tag is the language that the page is really written in.
func (v view) Tag() string { return v.printer.Tag() }

// T is the message of id.
func (v view) T(id string, args ...any) string { return v.printer.T(id, args...) }

// N is the message of id in the plural of count.
func (v view) N(id string, count int) string { return v.printer.N(id, count) }

// Join sets sentences one after the other.
func (v view) Join(sentences ...string) string { return v.printer.Join(sentences...) }

// Asset is the address of a file; a file that does not exist is an error.
func (v view) Asset(name string) (string, error) {
	if !v.pages.assets.Has(name) {
		return "", fmt.Errorf("no asset %q", name)
	}
	return v.pages.assets.URL(name), nil
}

// At reports whether the page is the one at path.
func (v view) At(path string) bool {
	here, _, _ := strings.Cut(v.Path, "?")
	return here == path
}

// Within reports whether the page is the one at path, or below it.
func (v view) Within(path string) bool { return v.At(path) || strings.HasPrefix(v.Path, path+"/") }

// Number is n with the signs of the language.
func (v view) Number(n int) string { return v.printer.Number(n) }

// HasPackages reports whether packages are signed here.
func (v view) HasPackages() bool { return v.pages.packages }

// HasVerifications reports whether identities are verified here.
func (v view) HasVerifications() bool { return v.pages.verifications }

// HasCustomFields reports whether the person keeps the custom fields of the account.
func (v view) HasCustomFields() bool {
	return v.pages.packages && v.Person != nil && v.pages.operator(v.Person.ID)
}

// Here is Path, as long as it cannot lead to another site.
func (v view) Here() string {
	if !strings.HasPrefix(v.Path, "/") || strings.HasPrefix(v.Path, "//") || strings.Contains(v.Path, `\`) {
		return "/"
	}
	return v.Path
}

// Is reports whether an open row's id is this one's.
func (v view) Is(open, id string) bool { return open != "" && open == id }

// Name is what to call the person.
func (v view) Name() string {
	switch {
	case v.Person == nil:
		return ""
	case v.Person.DisplayName != "":
		return v.Person.DisplayName
	}
	return v.Person.ID
}

// NameOf is what to call an authenticator.
func (v view) NameOf(a Authenticator) string {
	if a.Name != "" {
		return a.Name
	}
	return v.T(a.KindID())
}

// About is what an authenticator is, as far as its name does not say so.
func (v view) About(a Authenticator) string {
	var parts []string
	for _, part := range []string{v.T(a.KindID()), a.Provider} {
		if part != "" && part != v.NameOf(a) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// ISO is t for a machine, RFC 3339 in UTC.
func (v view) ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// When is t for a person.
func (v view) When(t time.Time) string { return v.printer.DateTime(t) }

// ChoosesLanguage reports whether the page lets people choose its language who have
// not signed in; whoever has does so on /account.
func (v view) ChoosesLanguage() bool { return v.Person == nil && (v.At("/login") || v.At("/")) }

// Languages are the tags to choose from.
func (v view) Languages() []string { return v.pages.bundle.Languages() }

// LanguageName is how a language calls itself.
func (v view) LanguageName(tag string) string { return v.pages.bundle.For(tag).Name() }

var methodIDs = map[string]string{
	"password": "page.method.password",
	"fido2":    "page.method.fido2",
	"uaf":      "page.method.uaf",
	"push":     "page.method.push",
	"otp":      "page.method.otp",
}

// Methods names the ways someone signed in; a new one shows as it is.
func (v view) Methods(methods []string) string {
	names := make([]string, len(methods))
	for i, method := range methods {
		names[i] = method
		if id, ok := methodIDs[method]; ok {
			names[i] = v.T(id)
		}
	}
	return v.printer.List(names...)
}

var noticeIDs = map[Notice]string{
	NoticeSignedOut:     "page.notice.signed-out",
	NoticeRenamed:       "page.notice.renamed",
	NoticeRemoved:       "page.notice.removed",
	NoticeSessionEnded:  "page.notice.session-ended",
	NoticeSessionsEnded: "page.notice.sessions-ended",
	NoticeLanguage:      "page.notice.language",
	NoticeForgotten:     "page.notice.forgotten",
	NoticeSessionOver:   "page.notice.session-over",

	NoticeVerificationCancelled: "page.notice.verification-cancelled",
	NoticeVerificationTrail:     "page.notice.verification-trail",
	NoticeVerificationMarked:    "page.notice.verification-marked",
	NoticeVerificationErased:    "page.notice.verification-erased",
	NoticeVerificationKept:      "page.notice.verification-kept",
	NoticePackageSaved:          "page.notice.package-saved",
	NoticePackageSent:           "page.notice.package-sent",
	NoticePackageFilesAgain:     "page.notice.package-files-again",
	NoticeCorrected:             "page.notice.recipient-corrected",

	NoticePackageReminded:  "page.notice.package-reminded",
	NoticePackageCancelled: "page.notice.package-cancelled",
	NoticePackageCopied:    "page.notice.package-copied",
	NoticePackageSigned:    "page.notice.package-signed",
	NoticePackageUnsigned:  "page.notice.package-unsigned",
	NoticePackageDeclined:  "page.notice.package-declined",

	NoticeFieldSaved:   "page.notice.field-saved",
	NoticeFieldDeleted: "page.notice.field-deleted",
}

// NoticeID is the message of the notice; empty shows nothing.
func (v view) NoticeID() string { return noticeIDs[v.Notice] }
