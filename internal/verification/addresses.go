package verification

import (
	"net/url"
	"strings"

	"countersign/internal/config"
)

// Storage begins the addresses of what lies in the platform's storage.
const Storage = "sfs://"

// maxAuthority bounds the search for the host of an address, in bytes.
const maxAuthority = 1 << 10

// Addresses are the addresses by which the platform is recognized in what people are
// shown.
type Addresses struct {
	// Host is the host of the API.
	Host string
	// AccessURL is the template of a token's page if the platform gives none, with
	// {transaction} and {token}; or "".
	AccessURL string
	// Sites are the hosts of the platform's pages.
	Sites config.Hosts
}

// isOwn reports whether an address, split behind the slashes of its scheme, belongs to the
// platform or lies in its storage.
func (a Addresses) isOwn(scheme, rest string) bool {
	if name, _, _ := strings.Cut(strings.ToLower(scheme), ":"); strings.HasSuffix(name+"://", Storage) {
		return true
	}
	authority := rest[:min(maxAuthority, len(rest))]
	if end := strings.IndexAny(authority, "/?#\\ \t\r\n\"'<>"); end >= 0 {
		authority = authority[:end]
	}
	host := strings.ToLower(authority[strings.LastIndexByte(authority, '@')+1:])
	u := &url.URL{Scheme: "https", Host: host}
	return a.Sites.Have(u) || config.Hosts{strings.ToLower(a.Host)}.Have(u)
}

// IsImage reports whether text can be the name of a picture.
func IsImage(text string) bool { return isName(text) }
