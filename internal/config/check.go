package config

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// check reports settings that are well-formed but do not go together, and warns of unwise
// ones.
func (l *loader) check() {
	c := &l.config
	if c.Session.Idle > c.Session.Lifetime && !c.unset("SESSION_IDLE") {
		l.problems.add("SESSION_IDLE", "%s is longer than %sSESSION_LIFETIME, %s", short(c.Session.Idle), Prefix, short(c.Session.Lifetime))
	}
	l.account()
	l.redis()
	l.smtp()
	l.production()
	l.embedded()
	l.service("IDENTITY_", &c.Identity)
	l.signing()
	l.verification()
	l.documents()
	l.accessKeys()
	l.unencrypted()
	l.unwise()
}

// The most that MAX_DOCUMENTS and MAX_DOCUMENT_SIZE may be.
const (
	mostDocuments    = 100
	mostDocumentSize = 256 << 20
)

// documents reports limits of documents that are none.
func (l *loader) documents() {
	c := l.config
	if c.MaxDocuments > mostDocuments {
		l.problems.add("MAX_DOCUMENTS", "%d is not a number from 1 to %d", c.MaxDocuments, mostDocuments)
	}
	if c.MaxDocumentSize > mostDocumentSize {
		l.problems.add("MAX_DOCUMENT_SIZE", "%s is more than %s", c.MaxDocumentSize, Size(mostDocumentSize))
	}
}

// minAccountCheck is the shortest time between two questions about an account.
const minAccountCheck = 10 * time.Second

// account reports intervals of the check of accounts that are too short.
func (l *loader) account() {
	c := l.config.Account
	if c.Check > 0 && time.Duration(c.Check) < minAccountCheck {
		l.problems.add("ACCOUNT_CHECK", "%s is too short: at least %s, or off", c.Check, short(minAccountCheck))
	}
	if c.Grace > 0 && c.Grace < time.Duration(c.Check) {
		l.problems.add("ACCOUNT_GRACE", "%s is shorter than %sACCOUNT_CHECK, %s", short(c.Grace), Prefix, c.Check)
	}
}

// makeOne says how to make a missing key.
const makeOne = "; to make one: openssl rand -hex 32"

// production reports settings that are missing for a real platform.
func (l *loader) production() {
	c := &l.config
	if !c.Production() {
		return
	}
	for name, how := range map[string]string{
		"REDIS_URL":     "",
		"SESSION_KEYS":  makeOne,
		"DECOY_KEY":     makeOne,
		"PUBLIC_ORIGIN": "",
	} {
		if c.unset(name) {
			l.problems.add(name, "is required with %sPLATFORM_URL%s", Prefix, how)
		}
	}
}

// unencrypted reports plain http to another machine: an error in production, where
// sessions and credentials travel on it.
func (l *loader) unencrypted() {
	remark := &l.warnings
	if l.config.Production() {
		remark = &l.problems
	}
	for name, origins := range map[string][]string{
		"PUBLIC_ORIGIN": {l.config.PublicOrigin.String()},
		"RP_ORIGINS":    l.config.RPOrigins,
	} {
		for _, text := range origins {
			origin, err := ParseOrigin(text)
			if err == nil && !l.config.unset(name) && !origin.HTTPS() && !origin.Loopback() {
				remark.add(name, "%s is not https: browsers offer no passkeys there (plain http is for localhost alone)", text)
			}
		}
	}
	for name, text := range map[string]string{
		"PLATFORM_URL": l.config.PlatformURL, "IDENTITY_URL": l.config.Identity.URL, "SIGNING_URL": l.config.Signing.URL, "IDV_URL": l.config.IDV.URL,
		"SIGNING_OAUTH_TOKEN_URL": l.config.Signing.OAuth.TokenURL,
	} {
		if u, err := url.Parse(text); err == nil && !l.config.unset(name) && u.Scheme == "http" && !loopback(u.Hostname()) {
			l.warnings.add(name, "is not https: the platform's credential travels in the clear")
		}
	}
}

func (l *loader) unwise() {
	c := &l.config
	for _, prefix := range c.TrustedProxies {
		if prefix.Bits() == 0 {
			l.warnings.add("TRUSTED_PROXIES", "%s believes whatever address anybody claims to have", prefix)
		}
	}
	public := c.PublicOrigin.String()
	if public != "" && !c.unset("RP_ORIGINS") && !slices.Contains(c.RPOrigins, public) {
		l.warnings.add("RP_ORIGINS", "lacks %s: passkeys made on our own pages will be refused", public)
	}
	for _, origin := range c.RPOrigins {
		hash, android := strings.CutPrefix(origin, apkKeyHash)
		if android && base64.RawURLEncoding.DecodedLen(len(hash)) != 32 {
			l.warnings.add("RP_ORIGINS", "%s is not the SHA-256 of a certificate", origin)
		}
	}
	if host, _, err := net.SplitHostPort(c.AdminAddr); err == nil && !loopback(host) {
		l.warnings.add("ADMIN_ADDR", "%s can be reached from other machines: metrics and profiles need no sign-in", c.AdminAddr)
	}
	if host, _, err := net.SplitHostPort(c.Sandbox.Addr); err == nil && !loopback(host) {
		l.warnings.add("SANDBOX_ADDR", "%s can be reached from other machines, and the sandbox's passwords are known to all", c.Sandbox.Addr)
	}
	if strings.ContainsFunc(c.Sandbox.ManageKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		l.problems.add("SANDBOX_MANAGE_KEY", "has characters that no header can carry: letters, digits and signs of ASCII, without spaces")
	}
	if len(c.Sandbox.UAFMetadata) > 0 && !isArray(c.Sandbox.UAFMetadata) {
		l.problems.add("SANDBOX_UAF_METADATA", "is not a JSON array")
	}
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func isArray(text []byte) bool {
	var array []json.RawMessage
	return json.Unmarshal(text, &array) == nil
}
