package platform

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// maxLink limits the length of a link, in bytes.
const maxLink = 2 << 10

var errForeignAddress = errors.New("an address that is not the platform's, or is another transaction's")

func foreign() error { return fault.Wrap(fault.PlatformFailed, errForeignAddress) }

// DataPath returns the platform's path of what a link of a transaction leads to: an address
// in the platform's storage, or one below the API's own, as a URL or as a path. Others, and
// those of another transaction, are platform.failed: the credential goes nowhere else.
func (c *Client) DataPath(id, link string) (string, error) {
	if len(link) > maxLink || names(link, id) == another {
		return "", foreign()
	}
	if !isStored(link) {
		return c.linked(id, link)
	}
	values := of(id)
	values["url"] = link
	path, ok := c.path(getTransactionData, values)
	if !ok {
		return "", foreign()
	}
	return path, nil
}

// isStored reports whether link is an address in the platform's storage.
func isStored(link string) bool {
	return len(link) > len(verification.Storage) && strings.EqualFold(link[:len(verification.Storage)], verification.Storage)
}

// linked is DataPath for a link that is a URL or a path.
func (c *Client) linked(id, link string) (string, error) {
	base := c.Upstream.URL()
	u, err := url.Parse(link)
	if err != nil || u.Scheme == "" && !strings.HasPrefix(link, "/") || u.Opaque != "" || u.User != nil || climbs(u.Path) ||
		names(u.Path, id) == another || names(u.Query().Get("url"), id) == another {
		return "", foreign()
	}
	path, isBelow := strings.CutPrefix(u.EscapedPath(), base.EscapedPath()+"/")
	isOwn := strings.EqualFold(u.Scheme, base.Scheme) && strings.EqualFold(u.Host, base.Host) && isBelow
	if (u.Scheme != "" || u.Host != "") && !isOwn {
		return "", foreign()
	}
	path = "/" + strings.TrimPrefix(path, "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path, nil
}

// climbs reports whether a path leads out of its place.
func climbs(path string) bool {
	_, ok := upstream.Fill("{path}", map[string]string{"path": path})
	return path != "" && !ok
}

// subjectMatch says which transactions an address names.
type subjectMatch int

const (
	none    subjectMatch = iota
	its                  // the transaction that was asked for
	another              // another one at least
)

// mostEscaped limits how often an address may be escaped.
const mostEscaped = 4

// names says which transactions an address names behind "transactions", as the platform's
// storage and its paths do, however the address is escaped. One that climbs may name any.
func names(address, id string) subjectMatch {
	plain := address
	for range mostEscaped {
		address = plain
		unescaped, err := url.PathUnescape(address)
		if err != nil {
			return another
		}
		plain = unescaped
	}
	segments := strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(`/\?&=#`, r) })
	if plain != address || slices.Contains(segments, "..") {
		return another
	}
	found := none
	for i, segment := range segments {
		switch {
		case i == 0 || !strings.EqualFold(segments[i-1], "transactions"):
		case !strings.EqualFold(segment, id):
			return another
		default:
			found = its
		}
	}
	return found
}
