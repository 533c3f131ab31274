package signingproxy

import (
	"net/http"
	"strconv"
	"strings"
)

// rangeOf is the one part of a file that a request asks for, as the platform reads it.
// False is that it asks for the whole, or in a way that nobody need understand (RFC 9110,
// section 14.2): malformed, of another unit, several parts, or not by GET.
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
	}
	return "bytes=" + part, true
}

// isNumber reports whether text is made of digits.
func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// position is the number of a byte; what is beyond all files is the greatest.
func position(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 64) // the greatest where it is too large
	return n
}
