//go:build !linux

package pdf_test

// restrict is for the tests of what Linux alone forbids.
func restrict() {}
