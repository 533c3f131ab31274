package templates

import "strings"

// PackageNews counts what happened to a person's packages since they last looked.
type PackageNews struct {
	Completed, Declined, Cancelled, Expired int
	// Signatures counts the signatures of others.
	Signatures int
}

// Over returns how many packages ended.
func (n PackageNews) Over() int { return n.Completed + n.Declined + n.Cancelled + n.Expired }

// newsLine is a sentence with links in the middle.
type newsLine struct {
	Before, After string
	Links         []newsLink
}

// newsLink is a link with what separates it from the next.
type newsLink struct{ Text, Separator string }

// linksHere stands for the links while the sentence is written.
const linksHere = "\x00"

// Since returns the sentence about packages that ended since the person last looked; nil
// if none has.
func (v View) Since(n PackageNews) *newsLine {
	var line newsLine
	for _, kind := range []struct {
		id    string
		count int
	}{
		{"page.lists.completed", n.Completed}, {"page.lists.declined", n.Declined},
		{"page.lists.cancelled", n.Cancelled}, {"page.lists.expired", n.Expired},
	} {
		if kind.count > 0 {
			line.Links = append(line.Links, newsLink{Text: v.N(kind.id, kind.count)})
		}
	}
	if len(line.Links) == 0 {
		return nil
	}
	_, separator, _ := strings.Cut(v.printer.List("", linksHere), "")
	separator = strings.TrimSuffix(separator, linksHere)
	for i := range line.Links[:len(line.Links)-1] {
		line.Links[i].Separator = separator
	}
	line.Before, line.After, _ = strings.Cut(v.T("page.lists.since", "What", linksHere), linksHere)
	return &line
}
