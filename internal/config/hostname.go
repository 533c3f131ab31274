package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var hostnames = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

func canonicalHostname(name string) (string, error) {
	name = strings.ToLower(name)
	if addr, err := netip.ParseAddr(name); err == nil && addr.Zone() == "" {
		return addr.String(), nil
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	// Browsers read a name that ends in a number as an IPv4 address; one that netip does
	// not parse would be another address for them.
	if !hostnames.MatchString(name) || len(name) > 253 || strings.Trim(last, "0123456789") == "" {
		return "", errOriginHost
	}
	return name, nil
}

func canonicalPort(u *url.URL) (string, error) {
	if strings.HasSuffix(u.Host, ":") {
		return "", errOriginPort
	}
	if u.Port() == "" {
		return "", nil
	}
	number, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || number == 0 {
		return "", errOriginPort
	}
	port := strconv.FormatUint(number, 10)
	if u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return "", nil
	}
	return port, nil
}
