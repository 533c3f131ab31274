package templates

import "fmt"

// menuBelow are the widths of a window, in rem, up to which the links of the navigation do
// not fit beside the name of the site in a language: at most five links, and an operator's.
var menuBelow = map[string]struct{ usual, operator int }{
	"en": {usual: 48, operator: 62},
	"de": {usual: 51, operator: 66},
	"es": {usual: 63, operator: 75},
	"fr": {usual: 57, operator: 77},
	"ja": {usual: 46, operator: 63},
}

// usualLinks is the number of links of a user who is no operator where all is in use.
const usualLinks = 5

// MenuMedia returns the windows in which the navigation stands behind its button, as a
// media query.
func (v View) MenuMedia() string {
	links := 3 // passkeys, account, sign out
	for _, more := range []bool{v.HasPackages(), v.HasVerifications(), v.HasCustomFields(), v.IsOperator()} {
		if more {
			links++
		}
	}
	width := menuBelow[v.Tag()].usual
	if links > usualLinks {
		width = menuBelow[v.Tag()].operator
	}
	return fmt.Sprintf("(max-width: %drem)", width)
}
