package templates

import (
	"strings"

	"countersign/internal/safetext"
)

type namedMark struct{ mark, name string }

// The order matters: every browser also claims to be its ancestors.
var (
	browsers = []namedMark{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []namedMark{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

// Device describes a session's device in words that its owner will recognize. It is only
// a hint; an unknown user agent is shown as it was sent.
func (v view) Device(userAgent string) string {
	browser, system := first(browsers, userAgent), first(systems, userAgent)
	switch {
	case userAgent == "":
		return v.T("page.sessions.unknown-device")
	case browser != "" && system != "":
		return v.T("page.sessions.device", "Browser", browser, "System", system)
	}
	return safetext.Isolate(userAgent)
}

func first(marks []namedMark, userAgent string) string {
	for _, m := range marks {
		if strings.Contains(userAgent, m.mark) {
			return m.name
		}
	}
	return ""
}
