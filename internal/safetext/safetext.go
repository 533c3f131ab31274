// Package safetext makes texts by people safe where they are shown or handed on: cells of
// tables that no spreadsheet calculates, and texts that leave what stands beside them as
// it is.
//
// It changes copies: what is stored stays as it is. Which texts are by people its callers
// know.
package safetext
