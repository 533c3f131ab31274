package signing

// outline is a page with the positions of its fields, in points.
type outline struct {
	Number        int // from 1
	Width, Height float64
	Fields        []fieldView
}

// Letters returns the height of the numbers on the outline.
func (o outline) Letters() float64 { return max(o.Width, o.Height) / 26 }

// outlines returns the pages that have fields.
func (d document) outlines(fields []fieldView) []outline {
	var pages []outline
	for _, f := range fields {
		n := len(pages)
		if n == 0 || pages[n-1].Number != f.page+1 {
			pages, n = append(pages, d.outline(f.page)), n+1
		}
		pages[n-1].Fields = append(pages[n-1].Fields, f)
	}
	return pages
}

// outline returns the page of that index without fields.
func (d document) outline(page int) outline {
	one := outline{Number: page + 1, Width: 612, Height: 792} // US letter by default
	if page >= 0 && page < len(d.Pages) {
		one.Width, one.Height = d.Pages[page].Width, d.Pages[page].Height
	}
	return one
}
