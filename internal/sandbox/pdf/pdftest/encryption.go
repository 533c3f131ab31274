package pdftest

import (
	_ "embed"
	"encoding/hex"
	"strings"
)

var (
	//go:embed testdata/encrypted.hex
	encrypted string
	//go:embed testdata/restricted.hex
	restricted string
	//go:embed testdata/emptystream.hex
	emptyStream string
)

// Encrypted is a PDF of one field, protected by the password "secret"; Restricted is the
// same with no password needed for reading; so is EmptyStream, whose content is an empty
// stream.
var Encrypted, Restricted, EmptyStream = unhex(encrypted), unhex(restricted), unhex(emptyStream)

func unhex(text string) []byte {
	file, err := hex.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if err != nil {
		panic(err)
	}
	return file
}
