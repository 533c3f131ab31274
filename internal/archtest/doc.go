// Package archtest checks rules of the repository that no linter can check, as tests with
// reasons; .golangci.yml has the other rules.
//
// It contains only tests. Each rule reads only files, and must fail on small examples
// that break it.
package archtest
