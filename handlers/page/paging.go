package page

import (
	"strconv"

	"github.com/gin-gonic/gin"
)

// PerPage is the number of items that a page of a list shows.
const PerPage = 20

// Neighbors returns the paths of the pages before and after the one that begins with item
// from of count; "" if there is none.
func Neighbors(from, count int, path func(from int) string) (previous, next string) {
	if from > 1 {
		previous = path(max(1, from-PerPage))
	}
	if from+PerPage <= count {
		next = path(from + PerPage)
	}
	return previous, next
}

// LastPage returns the number of the first item on the last page of count items.
func LastPage(count int) int { return (count-1)/PerPage*PerPage + 1 }

// FirstItem returns the number of the first item that a list is asked to show, from 1.
func FirstItem(c *gin.Context) int {
	from, err := strconv.Atoi(c.Query("from"))
	if err != nil || from < 1 {
		return 1
	}
	return from
}
