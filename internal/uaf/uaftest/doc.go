// Package uaftest is package softuaf under the name that tests of a UAF server
// know it by.
package uaftest

import "countersign/internal/authenticator/softuaf"

// What tests of a server need of package softuaf.
type (
	Authenticator = softuaf.Authenticator
	Options       = softuaf.Options
	Tamper        = softuaf.Tamper
)

// What tests of a server need of package softuaf.
var (
	New              = softuaf.New
	DefaultKeyFormat = softuaf.DefaultKeyFormat
)
