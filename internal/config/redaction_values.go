package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"
)

func (c Config) show(s setting, value reflect.Value) string {
	paths, isPaths := reflect.TypeAssert[Paths](value)
	switch {
	case isPaths:
		return paths.String()
	case s.secret == "url":
		return withoutPassword(value.String())
	case s.secret != "" || s.document:
		return c.presence(s, value.Len() > 0)
	}
	switch v := value.Interface().(type) {
	case time.Duration:
		return short(v)
	case []string:
		return strings.Join(v, ",")
	case []netip.Prefix:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",")
	default:
		return fmt.Sprint(v)
	}
}

func (c Config) presence(s setting, set bool) string {
	switch {
	case set && c.unset(s.name):
		return "(made at start)"
	case set:
		return "(set)"
	case !c.unset(s.name) && (c.Identity.None && strings.HasPrefix(s.name, "IDENTITY_") || c.Signing.none && s.name == "SIGNING_API_KEY" || c.IDV.none && s.name == "IDV_TOKEN"):
		return none
	}
	return ""
}

// withoutPassword returns a Redis URL without the password before the @ and without those
// among the parameters of Sentinel's form.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(set)"
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "pass") {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}

// short returns a duration in the usual form: 12h, not 12h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
