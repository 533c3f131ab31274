package compose

import (
	"regexp"
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
	f.setRecipients(strings.Fields(typed["recipients"]))
	if len(f.Recipients) == 0 {
		f.AddRecipient()
	}
	return f
}
