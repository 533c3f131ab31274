package config

import (
	"cmp"
	"crypto/rand"
	"net"
	"strconv"
	"time"
)

// derive fills in the defaults that depend on other settings.
func (l *loader) derive() {
	c := &l.config
	embedded := !c.Production()
	if c.unset("ADDR") {
		c.Addr = ":8080"
		if embedded {
			c.Addr = "127.0.0.1:8080"
		}
	}
	if c.unset("LOG_FORMAT") {
		c.Log.Format = LogJSON
		if embedded {
			c.Log.Format = "text"
		}
	}
	if c.unset("DRAIN_DELAY") && !embedded {
		c.DrainDelay = Delay(5 * time.Second)
	}
	if c.unset("AUDIT_LOG") {
		c.AuditLog = AuditStdout
		if embedded {
			c.AuditLog = AuditOff
		}
	}
	if c.unset("SESSION_IDLE") {
		c.Session.Idle = min(c.Session.Idle, c.Session.Lifetime)
	}
	if c.unset("OPERATORS") && embedded {
		c.Operators = []string{"carol@sandbox"}
	}
	if c.unset("DEFAULT_DOMAIN") && embedded {
		c.DefaultDomain = "sandbox"
	}
	c.Identity.URL = cmp.Or(c.Identity.URL, c.PlatformURL)
	if c.unset("SESSION_KEYS") && embedded {
		c.Session.Keys = [][]byte{freshKey()}
	}
	if c.unset("DECOY_KEY") && embedded {
		c.DecoyKey = freshKey()
	}
	l.deriveSigning()
	l.deriveVerification()
	c.follow(portOf(c.Addr))
}

// WithPort returns c for a listener that was given port: an unset PublicOrigin, and
// settings that follow it, use that port. In production it changes nothing.
func (c Config) WithPort(port int) Config {
	c.follow(port)
	return c
}

// follow sets the unset settings that follow PublicOrigin and, with the embedded
// platform, PublicOrigin itself.
func (c *Config) follow(port int) {
	if c.unset("PUBLIC_ORIGIN") && !c.Production() {
		c.PublicOrigin = localOrigin(port)
	}
	if c.unset("SMTP_FROM") {
		c.SMTP.From = "no-reply@" + c.PublicOrigin.Hostname()
	}
	if c.unset("RP_ORIGINS") {
		c.RPOrigins = []string{c.PublicOrigin.String()}
	}
	c.RPOrigins = union(c.RPOrigins, c.Apps.origins())
	if c.Production() {
		return
	}
	if c.unset("SANDBOX_RP_ID") {
		c.Sandbox.RPID = c.PublicOrigin.Hostname()
	}
	if c.unset("SANDBOX_RP_ORIGINS") {
		c.Sandbox.RPOrigins = c.RPOrigins
	}
	if c.unset("SANDBOX_UAF_APP_ID") {
		c.Sandbox.UAFAppID = c.UAFAppID()
	}
	if c.unset("SANDBOX_UAF_FACETS") {
		c.Sandbox.UAFFacets = c.Facets()
	}
}

func (c *Config) source(name string) Source {
	if source, ok := c.sources[name]; ok {
		return source
	}
	return Default
}

func (c *Config) unset(name string) bool { return c.source(name) == Default }

func freshKey() []byte {
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails: it stops the program instead
	return key
}

// portOf returns the port of a checked address, or 0.
func portOf(address string) int {
	_, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	return number
}
