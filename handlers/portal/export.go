package portal

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/templates"
)

// exportName is the name of an exported list as a file.
const exportName = `attachment; filename="packages.csv"`

// export answers GET /packages/export with all of the tab's list as CSV.
func (p packagesPage) export(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	words := p.Renderer.Templates.View(page.Common(c))
	table := tableHead(words)
	for item, err := range p.Service.Index.Each(c.Request.Context(), who.Person, queryOf(tabOf(c), searched(c))) {
		if err != nil {
			return err
		}
		one, err := packageItem(who.Person, item)
		if err != nil {
			return err
		}
		table = one.appendRecord(table, words)
	}
	c.Header("Content-Disposition", exportName)
	c.Data(http.StatusOK, "text/csv; charset=utf-8; header=present", table)
	return nil
}

// tableHead returns the beginning of a list as CSV: a byte order mark, which tells
// spreadsheets that it is UTF-8, and the names of the columns, in the reader's language.
func tableHead(v templates.View) []byte {
	ids := []string{"page.lists.column-name", "page.lists.column-state", "page.lists.column-progress", "page.packages.people", "page.lists.column-changed", "page.lists.column-due", "page.lists.column-sender"}
	for i, id := range ids {
		ids[i] = v.T(id)
	}
	return safetext.AppendRecord([]byte("\ufeff"), ids...)
}

// appendRecord appends the record of the package: what a row of the page shows.
func (i Item) appendRecord(table []byte, v templates.View) []byte {
	due := time.Time{}
	if i.Status == signing.StatusSent {
		due = i.Due
	}
	unmarked := safetext.WithoutDirections // a cell stands by itself
	return safetext.AppendRecord(table, unmarked(i.Name), unmarked(i.State(v)), i.Progress(v), unmarked(i.Signers(v)), stamp(i.Updated), stamp(due), unmarked(i.Sender))
}

// stamp returns a time as spreadsheets read it, in UTC; "" for none.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
