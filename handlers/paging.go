package handlers

import (
	"strconv"

	"github.com/gin-gonic/gin"
)

// perPage is the number of items that a page of a list shows.
const perPage = 20

// beside returns the paths of the pages before and after the one that begins with item
// from of count; "" where there is none.
func beside(from, count int, path func(from int) string) (previous, next string) {
	if from > 1 {
		previous = path(max(1, from-perPage))
	}
	if from+perPage <= count {
		next = path(from + perPage)
	}
	return previous, next
}

// firstOf returns the number of the first item that a list is asked to show, from 1.
func firstOf(c *gin.Context) int {
	from, err := strconv.Atoi(c.Query("from"))
	if err != nil || from < 1 {
		return 1
	}
	return from
}
