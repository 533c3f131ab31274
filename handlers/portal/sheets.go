package portal

import (
	"cmp"
	"encoding/hex"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// documents returns the documents of a package with their pages.
func (p packagePage) documents(c *gin.Context, who access.Actor, o service.Opened) (all []templates.PackageDocument) {
	for _, d := range o.Visible.Documents {
		if d.ID == signing.ConsentDocument {
			continue
		}
		one := templates.PackageDocument{ID: d.ID, Name: d.Name, Path: documentPath(o.ID, d.ID)}
		sizes := d.Pages
		if len(sizes) == 0 {
			sizes = p.Pages.Sizes(c.Request.Context(), who, o.ID, d.ID)
		}
		for i, size := range sizes {
			sheet := templates.Sheet{
				Document: len(all), Name: compose.Stem(d.Name), File: one.Path, Number: i + 1, Width: size.Width, Height: size.Height,
				Path: strings.Join([]string{packagePath(o.ID), "documents", url.PathEscape(d.ID), "pages", strconv.Itoa(i + 1)}, "/"),
			}
			page := service.Page{Package: o.ID, Document: d.ID, Number: i + 1}
			sheet.Unshown, sheet.Incomplete = p.Pages.Unshown(page, o.Grant.Updated), p.Pages.Incomplete(page, o.Grant.Updated)
			sheet.Marks = marksOn(o, d, i)
			one.Sheets = append(one.Sheets, sheet)
		}
		all = append(all, one)
	}
	return all
}

// marksOn returns the fields of the reader's roles on a page that are not signed yet, from
// above to below.
func marksOn(o service.Opened, d signing.Document, page int) (all []templates.Mark) {
	if signing.Finished(o.Full.Status) || o.Full.Status != signing.StatusSent && o.Full.Status != signing.StatusDraft {
		return nil
	}
	for _, a := range d.Approvals {
		if !slices.Contains(o.Grant.Roles, a.Role) || !a.Signed.IsZero() {
			continue
		}
		for _, f := range a.Fields {
			if f.Page == page && f.Width > 0 && f.Height > 0 {
				all = append(all, templates.Mark{Label: f.Name, Signature: f.Type == "SIGNATURE", Left: f.Left, Top: f.Top, Width: f.Width, Height: f.Height})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b templates.Mark) int { return cmp.Or(cmp.Compare(a.Top, b.Top), cmp.Compare(a.Left, b.Left)) })
	return all
}

// drawnState tells one state of a package's documents from another.
func drawnState(o service.Opened) string {
	sum := fnv.New64a()
	write := func(texts ...string) {
		for _, text := range texts {
			_, _ = sum.Write([]byte(text + "\x00")) // a hash writes all
		}
	}
	write(o.Full.Status, o.Full.Updated.String())
	for _, d := range o.Full.Documents {
		write(d.ID, d.Name)
		for _, a := range d.Approvals {
			write(a.Role, a.Signed.String())
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
