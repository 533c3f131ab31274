package people

import (
	"strings"
	"unicode"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/session"
	"countersign/templates"
)

// sessionRow is a session of a person.
type sessionRow struct {
	session.SessionInfo
	// Current says that it is the reader's own, at this moment.
	Current bool
}

// sessionRows returns sessions for a page.
func sessionRows(c *gin.Context, list []session.SessionInfo) []sessionRow {
	out := make([]sessionRow, len(list))
	for i, s := range list {
		out[i] = sessionRow{s, s.ID == request.From(c).Session.ID()}
	}
	return out
}

// MethodNames returns the names of the ways in which the person signed in.
func (s sessionRow) MethodNames(v templates.View) string {
	names := make([]string, len(s.Methods))
	for i, method := range s.Methods {
		names[i] = methodName(v, method)
	}
	return v.List(names...)
}

var methodIDs = map[string]string{
	"password": "page.method.password",
	"fido2":    "page.method.fido2",
	"uaf":      "page.method.uaf",
	"push":     "page.method.push",
	"otp":      "page.method.otp",
}

// methodName returns the name of a way of signing in; an unknown one is shown as it is.
func methodName(v templates.View, method string) string {
	if id, ok := methodIDs[method]; ok {
		return v.T(id)
	}
	return safetext.Isolate(method)
}

// eventRow is an action on a person's account.
type eventRow struct{ audit.Event }

// Name returns the name of the event's kind.
func (e eventRow) Name(v templates.View) string {
	if id, ok := eventIDs[e.Kind]; ok {
		return v.T(id)
	}
	return safetext.Isolate(string(e.Kind))
}

// MethodName returns the name of the way of signing in; "" for other actions.
func (e eventRow) MethodName(v templates.View) string {
	if e.Method == "" {
		return ""
	}
	return methodName(v, e.Method)
}

var eventIDs = map[audit.Kind]string{
	"sign-in.accepted":           "page.event.signed-in",
	"sign-in.refused":            "page.event.refused",
	"sign-in.step-up":            "page.event.step-up",
	"session.signed-out":         "page.event.signed-out",
	"session.ended":              "page.event.session-ended",
	"session.unproven":           "page.event.session-unproven",
	"authenticator.registered":   "page.event.registered",
	"authenticator.refused":      "page.event.registration-refused",
	"authenticator.renamed":      "page.event.renamed",
	"authenticator.removed":      "page.event.removed",
	"activation-password.issued": "page.event.activation-password",
	"transaction.confirmed":      "page.event.transaction-confirmed",
	"transaction.refused":        "page.event.transaction-refused",
	"account.ended":              "page.event.account-ended",
	"operator.ended":             "page.event.operator-ended",
	"operator.removed":           "page.event.operator-removed",
	"operator.unlocked":          "page.event.operator-unlocked",
	"operator.enabled":           "page.event.operator-enabled",
}

// authenticatorRow is a registered authenticator. A zero time is unknown; a member that the
// platform does not tell is empty.
type authenticatorRow struct {
	platform.Authenticator
	// Provider is the maker or keeper of the authenticator, by its AAGUID.
	Provider string
	// Last says that without it the person may have no way to sign in.
	Last bool
}

func authenticatorRowOf(a platform.Authenticator, last bool) authenticatorRow {
	return authenticatorRow{a, platform.Provider(a.AAGUID), last}
}

// UAF reports whether this is a FIDO UAF authenticator, not a passkey.
func (a authenticatorRow) UAF() bool { return a.Protocol == "UAF11" }

// ShownName returns the name to show.
func (a authenticatorRow) ShownName(v templates.View) string {
	if a.Name != "" {
		return a.Name
	}
	return a.kindName(v)
}

func (a authenticatorRow) kindName(v templates.View) string {
	if a.UAF() {
		return v.T("page.authenticators.kind-uaf")
	}
	return v.T("page.authenticators.kind-passkey")
}

// About describes the authenticator, as far as its name does not.
func (a authenticatorRow) About(v templates.View) string {
	var parts []string
	for _, part := range []string{a.kindName(v), a.Provider, v.WhereKept(string(a.Kind))} {
		if part != "" && part != a.ShownName(v) {
			parts = append(parts, safetext.Isolate(part))
		}
	}
	return strings.Join(parts, " · ")
}

// Initials returns the first letters of the provider's first two words.
func (a authenticatorRow) Initials() string {
	var initials []rune
	for _, word := range strings.FieldsFunc(a.Provider, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(initials) < 2 {
			initials = append(initials, unicode.ToUpper([]rune(word)[0]))
		}
	}
	return string(initials)
}

// Hue returns the number of the provider's colour, from 0 to 5, which is always the same.
func (a authenticatorRow) Hue() int {
	sum := 0
	for _, b := range []byte(a.Provider) {
		sum = (sum*31 + int(b)) % 6007
	}
	return sum % 6
}
