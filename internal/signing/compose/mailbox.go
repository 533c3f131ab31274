package compose

import (
	"strings"

	"countersign/internal/safetext"
)

// named splits an address with a name in front, such as "Tom Tenant <tom@example.com>" or
// "Tenant, Tom <tom@example.com>"; ok is false for any other text. The last word of a name
// is the last name.
func named(typed string) (first, last, address string, ok bool) {
	name, rest, found := strings.Cut(safetext.Trim(typed), "<")
	address, end, closed := strings.Cut(rest, ">")
	if !found || !closed || strings.Trim(end, " ,;") != "" || !strings.Contains(address, "@") {
		return "", "", "", false
	}
	name = strings.Join(strings.Fields(safetext.Trim(strings.Trim(safetext.Trim(name), `"'`))), " ")
	if before, after, turned := strings.Cut(name, ","); turned {
		return strings.TrimSpace(after), strings.TrimSpace(before), strings.TrimSpace(address), true
	}
	first = name
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		first, last = name[:i], name[i+1:]
	}
	return first, last, strings.TrimSpace(address), true
}
