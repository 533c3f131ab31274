// Package archtest holds the rules of the repository that no linter can hold,
// as tests that say why; .golangci.yml has the others.
//
// It has no code of its own. Each rule reads the files alone, and is shown to
// fail on small examples that break it.
package archtest
