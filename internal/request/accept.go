package request

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Prefers reports whether r's Accept gives one of the wanted media types a higher quality
// than each of the others (RFC 9110, 12.5.1). What cannot be read of it counts for nothing.
func Prefers(r *http.Request, wanted, others []string) bool {
	var most, other float64
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		quality := 1.0
		if q, given := parameters["q"]; given {
			if quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		switch {
		case slices.Contains(wanted, kind):
			most = max(most, quality)
		case slices.Contains(others, kind):
			other = max(other, quality)
		}
	}
	return most > other
}
