package i18n

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

// Device describes a device by its User-Agent in words that its owner will recognize. It is
// only a hint; an unknown user agent is returned as it was sent.
func (p *Printer) Device(userAgent string) string {
	if userAgent != "" && !isKnown(userAgent) {
		return safetext.Isolate(userAgent)
	}
	return p.KnownDevice(userAgent)
}

// KnownDevice is Device without any text of the sender's: an unknown user agent is an unknown
// device.
func (p *Printer) KnownDevice(userAgent string) string {
	if !isKnown(userAgent) {
		return p.T("device.unknown")
	}
	return p.T("device.known", "Browser", first(browsers, userAgent), "System", first(systems, userAgent))
}

func isKnown(userAgent string) bool {
	return first(browsers, userAgent) != "" && first(systems, userAgent) != ""
}

func first(marks []namedMark, userAgent string) string {
	for _, m := range marks {
		if strings.Contains(userAgent, m.mark) {
			return m.name
		}
	}
	return ""
}
