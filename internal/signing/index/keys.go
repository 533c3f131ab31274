package index

import (
	"fmt"

	"countersign/internal/access"
)

// tag begins every key of this index; its hash tag keeps them in one slot of a cluster.
const tag = "cs:access:{i}:"

// versions returns the key of the lists' versions, events the key of the stream of
// callbacks, ends the key of the stream of packages' ends.
func versions(s *access.Namespace) string { return s.Prefix + "versions" }
func events(s *access.Namespace) string   { return s.Prefix + "events" }
func ends(s *access.Namespace) string     { return s.Prefix + "ends" }

// recordName returns the name of a package's record, version the field that counts
// changes to somebody's lists.
func recordName(s *access.Namespace, id string) string { return s.Sealer.Name("package " + id) }
func version(s *access.Namespace, of string) string    { return s.Sealer.Name("version " + of) }

// union returns the key of several lists read as one.
func union(s *access.Namespace, sources []string) string {
	return s.Prefix + "u:" + s.Sealer.Name(fmt.Sprint("union ", sources))
}
