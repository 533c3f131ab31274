package index

import (
	"fmt"

	"countersign/internal/access"
)

// tag begins every key of the packages' index; the hash tag keeps them in one slot of a
// cluster.
const tag = "access:{i}:"

// versions and events are the keys of the lists' versions and of the callbacks that have
// not been worked off.
func versions(s *access.Space) string { return s.Prefix + "versions" }
func events(s *access.Space) string   { return s.Prefix + "events" }

// recordName returns the name of a package's record, version the name of somebody's lists
// among the versions.
func recordName(s *access.Space, id string) string { return s.Sealer.Name("package " + id) }
func version(s *access.Space, of string) string    { return s.Sealer.Name("version " + of) }

// union returns the key of lists that are read together.
func union(s *access.Space, sources []string) string {
	return s.Prefix + "u:" + s.Sealer.Name(fmt.Sprint("union ", sources))
}
