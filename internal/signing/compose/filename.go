package compose

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxFileName limits the name of a document, in characters.
const maxFileName = 255

// fileName returns a file's name as a document's: composed, and without characters that the
// platform does not accept. A name that is too long keeps its extension.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*/\\:<>|?\"", r) || r < ' ' {
			return '_'
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(name, "_")))
	runes := []rune(name)
	if len(runes) <= maxFileName {
		return name
	}
	extension := []rune(name[len(Stem(name)):])
	return string(runes[:maxFileName-len(extension)]) + string(extension)
}
