package compose

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var recipientKey = regexp.MustCompile(`^r[1-9][0-9]{0,3}$`)

// Unsaved returns the form of a page that has no draft: with the recipients that typed
// names, in that order, or one, and with the name and the language that the page was shown
// with. The values themselves are for TypeSending and Type.
func Unsaved(typed map[string]string) Form {
	f := Form{Name: typed["was_name"], Sending: Sending{Language: typed["was_language"]}}
	f.Revision, _ = strconv.Atoi(typed["revision"]) // a page that does not say is the first
	var seen []string
	for key := range strings.FieldsSeq(typed["recipients"]) {
		if !recipientKey.MatchString(key) || slices.Contains(seen, key) || len(seen) == maxRecipients {
			continue
		}
		seen = append(seen, key)
		n, _ := strconv.Atoi(key[1:])
		f.Last = max(f.Last, n)
		f.Recipients = append(f.Recipients, Recipient{Key: key, ByEmail: true})
	}
	if len(seen) == 0 {
		f.AddRecipient()
	}
	return f
}
