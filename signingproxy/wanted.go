package signingproxy

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"countersign/internal/request"
)

// Wanted returns the headers of a request that describe the wanted answer: its media
// type, by default JSON, and its language. For a file it adds the range and the
// conditions by which a client checks its cached copy.
func Wanted(r *http.Request, isFile bool) http.Header {
	header, names := http.Header{"Accept": {request.JSONType}}, []string{"Accept", "Accept-Language"}
	if isFile {
		names = append(names, "If-None-Match", "If-Modified-Since")
		if part, ok := rangeOf(r); ok {
			header.Set("Range", part)
			names = append(names, "If-Range")
		}
	}
	for _, name := range names {
		if value := r.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	return header
}

// rangeOf returns the one range of a file that a request asks for, in the form that the
// platform reads. It returns false if the request asks for the whole file, or has a range
// that a server may ignore (RFC 9110, section 14.2): malformed, in another unit, with
// several parts, or not by GET.
func rangeOf(r *http.Request) (string, bool) {
	sent := r.Header.Values("Range")
	if len(sent) != 1 || r.Method != http.MethodGet {
		return "", false
	}
	unit, part, _ := strings.Cut(sent[0], "=")
	part = strings.Trim(part, " \t")
	first, last, isRange := strings.Cut(part, "-")
	switch {
	case !strings.EqualFold(unit, "bytes"), !isRange, first == "" && last == "":
		return "", false
	case first != "" && !isNumber(first), last != "" && !isNumber(last):
		return "", false
	case first != "" && last != "" && position(first) > position(last):
		return "", false
	case first == "" && position(last) == 0:
		return "bytes=" + strconv.FormatInt(math.MaxInt64, 10) + "-", true // no byte at all: impossible, but servers answer it with a range that ends before it begins
	}
	return "bytes=" + part, true
}

// isNumber reports whether text consists of digits.
func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// position returns the number of a byte; a number that is too large becomes the greatest
// one.
func position(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 64) // the greatest number if digits are out of range
	return n
}
