package uaf

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// TrustedFacetsMediaType is the content type of a trusted facet list.
const TrustedFacetsMediaType = "application/fido.trusted-apps+json"

// TrustedFacets is the list served at the appID URL (FIDO AppID and facet
// specification): the applications that may use the appID's keys.
type TrustedFacets struct {
	Lists []FacetList `json:"trustedFacets"`
}

// FacetList is the list for one version.
type FacetList struct {
	Version Version  `json:"version"`
	IDs     []string `json:"ids"`
}

// NewTrustedFacets makes the list for version 1.1, with those ids that clients trust for
// appID: applications, and https origins with the registrable domain of appID (http on
// this machine alone). It leaves out any other id.
func NewTrustedFacets(appID string, ids ...string) TrustedFacets {
	trusted := make([]string, 0, len(ids))
	for _, id := range ids {
		if isFacetOf(appID, id) {
			trusted = append(trusted, id)
		}
	}
	return TrustedFacets{Lists: []FacetList{{Version: ProtocolVersion(), IDs: trusted}}}
}

// IDs returns the ids for version 1.1, or nil.
func (f TrustedFacets) IDs() []string {
	for _, list := range f.Lists {
		if list.Version == ProtocolVersion() {
			return list.IDs
		}
	}
	return nil
}

// ParseTrustedFacets parses a document like a client, and returns the ids for version
// 1.1.
func ParseTrustedFacets(document []byte) ([]string, error) {
	if len(document) > MaxMessage {
		return nil, unacceptable("a facet list of %d bytes", len(document))
	}
	var facets TrustedFacets
	if err := decodeJSON("facet list", document, &facets, strict); err != nil {
		return nil, err
	}
	ids := facets.IDs()
	if ids == nil {
		return nil, unacceptable("no facets for version 1.1")
	}
	return ids, nil
}

// applicationFacets begin the ids of native applications.
var applicationFacets = []string{"android:apk-key-hash:", "android:apk-key-hash-sha256:", "ios:bundle-id:"}

func isFacetOf(appID, id string) bool {
	for _, prefix := range applicationFacets {
		if rest, ok := strings.CutPrefix(id, prefix); ok && rest != "" {
			return true
		}
	}
	app, err := url.Parse(appID)
	if err != nil {
		return false
	}
	facet, err := url.Parse(id)
	if err != nil || facet.Host == "" || id != facet.Scheme+"://"+facet.Host {
		return false // not an origin
	}
	private := facet.Scheme == "https" || facet.Scheme == "http" && isLoopback(facet.Hostname())
	return private && registrable(facet.Hostname()) == registrable(app.Hostname())
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// registrable returns the registrable domain of host, or host itself if it has none, such
// as an IP address.
func registrable(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}
