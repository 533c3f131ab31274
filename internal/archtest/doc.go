// Package archtest holds the rules of the repository, as tests that say why.
//
// It has no code of its own. Each rule reads the source files alone, so that
// it judges what is written and not what happens to build, and each is shown
// to fail on a small example that breaks it.
package archtest
