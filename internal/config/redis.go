package config

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Redis is the Redis that holds the sessions.
type Redis struct {
	// URL is the address of [Redis](operate/redis.md): `redis://`, `rediss://` for TLS, or `unix://`.
	// Default: embedded
	// Required: in production
	// Example: rediss://countersign:password@redis.example.com:6379
	//
	// Plain `redis://` to another machine causes a warning. `skip_verify` is refused; use
	// `COUNTERSIGN_REDIS_CA`.
	URL string `env:"URL" secret:"url" rule:"redisURL"`
	// Mode is the [topology](operate/redis.md): `single`, `sentinel` or `cluster`.
	// Example: cluster
	Mode string `env:"MODE" envDefault:"single" oneOf:"single,sentinel,cluster"`
	// Prefix begins the name of every key and channel: 1 to 64 letters, digits and `_ . : / -`.
	// Example: sign:
	//
	// Installations that share a Redis need different prefixes. A new prefix starts with an empty
	// Redis.
	Prefix string `env:"PREFIX" envDefault:"cs:" rule:"redisPrefix"`
	// ClientCert is the client certificate (PEM) for Redis; with `rediss://` only.
	// Example: /run/secrets/redis.crt
	ClientCert Document `env:"CLIENT_CERT"`
	// ClientKey is the private key (PEM) of `COUNTERSIGN_REDIS_CLIENT_CERT`.
	// Required: with `COUNTERSIGN_REDIS_CLIENT_CERT`
	// Example: /run/secrets/redis.key
	ClientKey Document `env:"CLIENT_KEY" secret:"true"`
	// CA are the only trusted authorities (PEM) for certificates of Redis and the Sentinels; with
	// `rediss://` only.
	// Default: the system's
	// Example: /run/secrets/redis-ca.crt
	CA Document `env:"CA"`

	tls *tls.Config
}

// TLS returns a new TLS configuration for a Redis URL that asks for TLS, with the client
// certificate and the authority, if they are set.
func (r Redis) TLS() *tls.Config { return r.tls.Clone() }

// redisURL checks REDIS_URL. Its errors do not repeat the text, which may contain a
// password.
func redisURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix" {
		return "", errors.New("is not a URL that begins with redis://, rediss:// or unix://")
	}
	for name, values := range u.Query() {
		if strings.EqualFold(name, "skip_verify") && slices.ContainsFunc(values, isOn) {
			return "", fmt.Errorf("skips the check of the server's certificate: leave %s out (%sREDIS_CA is an authority of your own)", name, Prefix)
		}
	}
	return text, nil
}

// prefixForm is what the names of keys and channels may begin with: no braces, which would decide
// on the node of a cluster, and none of what is a pattern in the rules for users.
var prefixForm = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{1,64}$`)

func redisPrefix(text string) (string, error) {
	if !prefixForm.MatchString(text) {
		return "", fmt.Errorf("%q is not 1 to 64 of letters, digits and _ . : / -", text)
	}
	return text, nil
}

// isOn reports whether go-redis may read text as true.
func isOn(text string) bool {
	on, err := strconv.ParseBool(text)
	return text != "" && (on || err != nil)
}

// redis checks that the settings of Redis go together.
func (l *loader) redis() {
	c := &l.config
	switch {
	case c.Redis.Mode == "single" || c.Redis.Mode == "":
	case c.unset("REDIS_URL"):
		l.problems.add("REDIS_MODE", "is %s, but %sREDIS_URL is not set", c.Redis.Mode, Prefix)
	case c.Redis.Mode == "sentinel" && c.Redis.URL != "" && !strings.Contains(c.Redis.URL, "master_name="):
		l.problems.add("REDIS_URL", "does not name the master: with %sREDIS_MODE sentinel it ends in ?master_name=…", Prefix)
	}
	c.Redis.tls = l.clientTLS("REDIS_", identification{c.Redis.ClientCert, c.Redis.ClientKey, c.Redis.CA})
	for name, needs := range map[string]bool{
		"CLIENT_CERT": strings.HasPrefix(c.Redis.URL, "rediss:"), "CA": strings.HasPrefix(c.Redis.URL, "rediss:"),
	} {
		if !needs && !c.unset("REDIS_"+name) {
			l.problems.add("REDIS_"+name, "has no effect: %s", without[name])
		}
	}
	u, err := url.Parse(c.Redis.URL)
	if err != nil {
		return
	}
	if c.Redis.Mode == "sentinel" && u.User != nil && !u.Query().Has("password") {
		l.warnings.add("REDIS_URL", "has a password before the @ that is the Sentinels' own; Redis's is its parameter password")
	}
	if u.Scheme == "redis" && !localRedis(u) {
		l.warnings.add("REDIS_URL", "is not encrypted: its password travels in the clear, and anyone on the network path can change sessions (rediss:// is)")
	}
}

// without says which companion a setting of Redis lacks.
var without = map[string]string{
	"CLIENT_CERT": "the address does not begin with rediss://", "CA": "the address does not begin with rediss://",
}

// localRedis reports whether all nodes that u names are on this machine.
func localRedis(u *url.URL) bool {
	hosts := []string{u.Hostname()}
	for _, address := range u.Query()["addr"] {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			host = address
		}
		hosts = append(hosts, host)
	}
	return !slices.ContainsFunc(hosts, func(host string) bool { return host != "" && !loopback(host) })
}
