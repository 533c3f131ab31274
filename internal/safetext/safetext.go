// Package safetext makes users' texts safe for display, CSV cells and mails.
//
// It changes copies: what is stored stays as it is. Which texts are by people its callers
// know.
package safetext
