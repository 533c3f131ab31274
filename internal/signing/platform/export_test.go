package platform

import (
	"bytes"
	"errors"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// TakePiecesWithin limits the time for a piece of a window.
func (c *Client) TakePiecesWithin(limit time.Duration) { c.piece = limit }

// TakeWindowsOf has the client take windows of that many bytes at most, so that a test
// need not move as much as in use.
func (c *Client) TakeWindowsOf(bytes int) { c.window = bytes }

// PublicByDecoder is Public without what is known of most packages at once.
var PublicByDecoder = public

// IsQuick reports whether Public knows at once what to leave out of a package.
func IsQuick(value jsontext.Value) bool {
	_, known := findOurs(value)
	return known
}

// SameListing reports whether a response to listPackages is read as by a decoder.
func SameListing(body []byte) bool {
	got, err := readListing(body)
	want, wrong := readAny(bytes.Clone(body)) // what is ours is cut out in its place
	return (err == nil) == (wrong == nil) && (err != nil || reflect.DeepEqual(shown(got), shown(want)))
}

// shown returns the listing without what is ours.
func shown(l listing) listing {
	for i, one := range l.results {
		value, err := one.public()
		l.results[i] = listed{value: bytes.Clone(value), id: one.id, cause: errors.Join(one.cause, err)}
	}
	return l
}
