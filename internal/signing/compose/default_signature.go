package compose

import (
	"bytes"
	"slices"
	"strconv"
)

// closingOf returns the signature at the end of a document of a recipient without any field in
// the whole package, beside those of the others; ok is false where it is there already. Without
// added, a recipient that a program has given no field stays without.
func (f *Form) closingOf(d Document, r Recipient, added bool) (c Field, ok bool) {
	if f.hasField(r) || !added && r.ID != "" {
		return c, false
	}
	for _, a := range f.at.documents[d.ID] {
		if slices.ContainsFunc(a.fields, func(at originField) bool { return f.closes(d, a.role, at) && a.role == r.roleID() }) {
			return c, false
		}
	}
	return f.closing(d, r), true
}

func (f *Form) hasField(r Recipient) bool {
	return slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Recipient == r.Key })
}

// closes reports whether a field of the platform, which the form does not have, is the
// signature at the end of a document of a recipient without any field.
func (f *Form) closes(d Document, role string, at originField) bool {
	i := slices.IndexFunc(f.Recipients, func(r Recipient) bool { return r.roleID() == role })
	if i < 0 || f.hasField(f.Recipients[i]) {
		return false
	}
	was := fieldOf("", at.Field, Field{})
	was.shrink(d.scale())
	return bytes.Equal(encoded(was.draft(d.scale())), encoded(f.closing(d, f.Recipients[i]).draft(d.scale())))
}

// closing returns the recipient's signature at the end of a document, in a grid that has room for
// all recipients on the page.
func (f *Form) closing(d Document, r Recipient) Field {
	page, size := 1, Page{Width: 612, Height: defaultHeight}
	if n := len(d.Pages); n > 0 {
		page, size = n, d.Pages[n-1]
	}
	const width, height, across, down = 200, 50, 220, 60
	margin := min(50, size.Width/10, size.Height/10)
	scale := 1.0
	columns := func() int { return int((size.Width - 2*margin + (across-width)*scale) / (across * scale)) }
	rows := func() int { return int((size.Height - 2*margin) / (down * scale)) }
	for columns()*rows() < len(f.Recipients) {
		scale *= 0.95
	}
	place := max(0, f.recipientAt(r.Key))
	left := margin + float64(place%columns())*across*scale
	top := size.Height - margin - float64(1+place/columns())*down*scale
	c := Field{Document: d.Key, Recipient: r.Key, Kind: kinds[0].Name, Page: strconv.Itoa(page), Left: formatNumber(left), Top: formatNumber(top)}
	if scale < 1 {
		c.Width, c.Height = formatNumber(width*scale), formatNumber(height*scale)
	}
	return c
}
