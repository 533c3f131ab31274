package platform

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

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
	want, wrong := readAny(body)
	return (err == nil) == (wrong == nil) && (err != nil || reflect.DeepEqual(got, want))
}
