package compose

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var recipientKey = regexp.MustCompile(`^r[1-9][0-9]{0,3}$`)

// RestoreForm returns the form of a page that has no draft: with the recipients that typed
// names, in that order, or one, and with the name and the language that the page was shown
// with. The values themselves are for TypeSending and Type.
func RestoreForm(typed map[string]string) Form {
	f := Form{Name: typed["was_name"], SendOptions: SendOptions{Language: typed["was_language"]}}
	f.Revision, _ = strconv.Atoi(typed["revision"]) // a page that does not say is the first
	f.setRecipients(strings.Fields(typed["recipients"]))
	if len(f.Recipients) == 0 {
		f.AddRecipient()
	}
	return f
}

// Restore gives the form the recipients and fields of an outdated page, in their order, for
// Type to fill them in. Documents, and what stands on those that the page does not know,
// stay as they are: files are never lost.
func (f *Form) Restore(typed map[string]string) {
	shown := strings.Fields(typed["shown"])
	if len(shown) == 0 {
		return
	}
	delete(typed, "remind_shown") // also what was typed before the page was shown counts
	f.setRecipients(slices.DeleteFunc(shown, func(key string) bool { _, ok := typed[key+".email"]; return !ok }))
	place := func(d Document) int {
		if i := slices.Index(shown, d.Key); i >= 0 {
			return i
		}
		return len(shown)
	}
	slices.SortStableFunc(f.Documents, func(a, b Document) int { return cmp.Compare(place(a), place(b)) })
	f.restoreFields(typed, shown)
}

// setRecipients gives the form the recipients of these keys: those that it has as they are,
// and others empty.
func (f *Form) setRecipients(keys []string) {
	was := f.Recipients
	f.Recipients = nil
	for _, key := range keys {
		if !recipientKey.MatchString(key) || f.recipientAt(key) >= 0 || len(f.Recipients) == maxRecipients {
			continue
		}
		n, _ := strconv.Atoi(key[1:])
		f.Last = max(f.Last, n)
		r := Recipient{Key: key, ByEmail: true}
		if i := slices.IndexFunc(was, func(r Recipient) bool { return r.Key == key }); i >= 0 {
			r = was[i]
		}
		f.Recipients = append(f.Recipients, r)
	}
}

var fieldKey = regexp.MustCompile(`^f[1-9][0-9]{0,15}$`)

func (f *Form) restoreFields(typed map[string]string, shown []string) {
	f.Fields = slices.DeleteFunc(f.Fields, func(d Field) bool {
		_, there := typed[d.Key+".recipient"]
		return d.Found == "" && d.Fixed == "" && !there && slices.Contains(shown, d.Document)
	})
	for i, d := range f.Fields {
		if f.recipientAt(d.Recipient) < 0 {
			f.Fields[i].Recipient = ""
		}
	}
	f.addTyped(typed, func(key string) bool { return fieldKey.MatchString(key) && f.documentAt(typed[key+".document"]) >= 0 })
}
