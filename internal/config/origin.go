package config

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// Origin is a web origin in canonical form: lower-case host, no default port. The zero
// Origin stands for no origin.
type Origin struct {
	scheme, hostname, port string
}

var (
	errOriginForm   = errors.New("is not an origin such as https://countersign.example.com")
	errOriginScheme = errors.New("is not an origin: it begins with neither https:// nor http://")
	errOriginUser   = errors.New("is not an origin: it carries a user name or password")
	errOriginPath   = errors.New("is not an origin: nothing may follow the host and port, not even a slash")
	errOriginHost   = errors.New("is not an origin: its host is not a name in ASCII (xn--… where need be) or an address")
	errOriginPort   = errors.New("is not an origin: its port is not a number from 1 to 65535")
)

// ParseOrigin parses an http or https origin strictly: a scheme, a host and perhaps a
// port, nothing else. Its errors do not repeat the text, which may contain a password.
func ParseOrigin(text string) (Origin, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return Origin{}, errOriginForm
	case u.Scheme != "https" && u.Scheme != "http":
		return Origin{}, errOriginScheme
	case u.User != nil:
		return Origin{}, errOriginUser
	case u.Path != "" || strings.ContainsAny(text, "?#"):
		return Origin{}, errOriginPath
	}
	hostname, err := canonicalHostname(u.Hostname())
	if err != nil {
		return Origin{}, err
	}
	port, err := canonicalPort(u)
	if err != nil {
		return Origin{}, err
	}
	return Origin{scheme: u.Scheme, hostname: hostname, port: port}, nil
}

// String returns the origin as browsers write it, or "" for the zero Origin.
func (o Origin) String() string {
	if o.scheme == "" {
		return ""
	}
	return o.scheme + "://" + o.Host()
}

// Host returns the Host that browsers send: the name, and the port unless it is the
// default.
func (o Origin) Host() string {
	host := o.hostname
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.port != "" {
		host += ":" + o.port
	}
	return host
}

// Hostname returns the host without a port (and, for IPv6, without brackets): the relying
// party ID of pages served there.
func (o Origin) Hostname() string { return o.hostname }

// HTTPS reports whether the origin is served over TLS.
func (o Origin) HTTPS() bool { return o.scheme == "https" }

// Loopback reports whether the origin is this machine (localhost, 127.0.0.1 or [::1]),
// for which browsers treat plain http as secure.
func (o Origin) Loopback() bool {
	return o.hostname == "localhost" || o.hostname == "127.0.0.1" || o.hostname == "::1"
}

func localOrigin(port int) Origin {
	o := Origin{scheme: "http", hostname: "localhost"}
	if port != 80 {
		o.port = strconv.Itoa(port)
	}
	return o
}
