package uaf

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/publicsuffix"
)

// TrustedFacetsMediaType is the content type of a trusted facet list.
const TrustedFacetsMediaType = "application/fido.trusted-apps+json"

// MessageMediaType is the content type of UAF messages.
const MessageMediaType = "application/fido+uaf; charset=utf-8"

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

// NewTrustedFacets makes the list for version 1.1 and refuses an id that
// clients would not trust for appID.
func NewTrustedFacets(appID string, ids ...string) (TrustedFacets, error) {
	for _, id := range ids {
		if err := checkFacet(appID, id); err != nil {
			return TrustedFacets{}, err
		}
	}
	return TrustedFacets{Lists: []FacetList{{Version: ProtocolVersion, IDs: ids}}}, nil
}

// Encode writes the document, the same for every client.
func (f TrustedFacets) Encode() ([]byte, error) { return json.Marshal(f) }

// ParseTrustedFacets reads a document as a client does: it returns the ids of
// version 1.1.
func ParseTrustedFacets(document []byte) ([]string, error) {
	if len(document) > MaxMessage {
		return nil, unacceptable("a facet list of %d bytes", len(document))
	}
	var facets TrustedFacets
	if err := decodeJSON("facet list", document, &facets, strict); err != nil {
		return nil, err
	}
	for _, list := range facets.Lists {
		if list.Version == ProtocolVersion {
			return list.IDs, nil
		}
	}
	return nil, unacceptable("no facets for version 1.1")
}

// applicationFacets begin the ids of native applications.
var applicationFacets = []string{"android:apk-key-hash:", "android:apk-key-hash-sha256:", "ios:bundle-id:"}

// checkFacet asks whether id is an application's, or an https origin whose
// registrable domain is that of appID. http is for this machine alone.
func checkFacet(appID, id string) error {
	for _, prefix := range applicationFacets {
		if rest, ok := strings.CutPrefix(id, prefix); ok && rest != "" {
			return nil
		}
	}
	app, err := url.Parse(appID)
	if err != nil {
		return refuseCause(StatusUnacceptableContent, err, "appID is no URL")
	}
	facet, err := url.Parse(id)
	switch {
	case err != nil || facet.Host == "" || id != facet.Scheme+"://"+facet.Host:
		return unacceptable("facet %.128q is neither an origin nor an application", id)
	case facet.Scheme != "https" && (facet.Scheme != "http" || !isLoopback(facet.Hostname())):
		return unacceptable("facet %.128q is not https", id)
	case registrable(facet.Hostname()) != registrable(app.Hostname()):
		return unacceptable("facet %.128q is not of the appID's domain", id)
	}
	return nil
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// registrable is the registrable domain of host, or host itself where there is
// none, as for an address.
func registrable(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}
