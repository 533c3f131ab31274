package access

import "fmt"

// tag begins every key of the packages' index; the hash tag keeps them in one slot of a
// cluster.
const tag = "access:{i}:"

// versions and events are the keys of the lists' versions and of the callbacks that have
// not been worked off.
func versions(s *space) string { return s.prefix + "versions" }
func events(s *space) string   { return s.prefix + "events" }

// recordName returns the name of a package's record, version the name of somebody's lists
// among the versions.
func recordName(s *space, id string) string { return s.sealer.Name("package " + id) }
func version(s *space, of string) string    { return s.sealer.Name("version " + of) }

// union returns the key of lists that are read together.
func union(s *space, sources []string) string {
	return s.prefix + "u:" + s.sealer.Name(fmt.Sprint("union ", sources))
}
