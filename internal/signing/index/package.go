// Package index decides what each user may do with a package, over an index in Redis.
//
// The platform has the truth. The index is told of our own calls (RecordWrite, NoteChange),
// corrected by the platform's callbacks (Callback), and by a sweep of the listings that
// one node makes at a time (Run). Deleting it costs a sweep.
//
// # What Redis holds
//
// All names and values are sealed with the index's own key, which lies in Redis sealed
// under each of ACCESS_KEYS in use:
//
//	cs:access:{i}:key:name          the index's own key, sealed under one of ACCESS_KEYS
//	cs:access:{i}:index:state       hash: counters, the watermark, when it was built
//	cs:access:{i}:index:records     hash: package → revision, place in lists, policy, item
//	cs:access:{i}:index:l:name      sorted set: packages of one list, the newest last
//	cs:access:{i}:index:versions    hash: number of changes to each person's lists
//	cs:access:{i}:index:u:name      sorted set: several lists read as one, for a while
//	cs:access:{i}:index:missing     sorted set: packages that the platform has missed once
//	cs:access:{i}:index:t:name      what was told once
//	cs:access:{i}:index:events      stream: callbacks that have not been processed
//	cs:access:{i}:index:ends        stream: ends of packages of which the owners are to be told
//	cs:access:{i}:index:trashing    sorted set: packages that go to the trash, by the time of it
//
// One hash tag keeps all of it in one slot of a cluster, so that one script changes a
// record and its lists, and a list is read in one step. Every key outlives by weeks the
// daily full sweep that renews it, and expires with an index that nobody uses any more.
//
// # Order of writes
//
// An answer of the platform is written only if nobody wrote the record since the platform
// was asked: the script refuses a record whose revision is later than the counter was
// before the question. So an older answer never replaces a newer one, whatever clock or
// node it comes from; a refused writer asks again.
//
// # Our own changes
//
// A change of ours marks the record as stale and is answered at once (RecordWrite). Until Run, a list
// or a question of access has read the package, a stale record counts for who made the package
// and for operators alone. People that the change concerns have it in a hash of pending changes, so
// that their own list is right at once.
package index

import (
	"context"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// AccessLevel is a person's relation to a package; a later one may do more.
type AccessLevel int

// The access levels, as the table in docs/integrate/signing/permissions.md defines them.
const (
	NoAccess AccessLevel = iota
	Signer
	Owner
	Operator
)

// Grant lists what the policy allows one person on one package.
type Grant struct {
	// Access is NoAccess only along with an error.
	Access AccessLevel
	// Roles are the ids of the roles that the person signs, whatever their standing;
	// Signers are the person's ids as signers of these.
	Roles, Signers []string
	// Names are the e-mail address and the ids that name the person as a signer and
	// nobody else, in lower case; UnsharedRoles are the roles whose only signer they are. An
	// id may be another signer's too, and then it is in neither.
	Names, UnsharedRoles []string
	// Signable says that the package is with its signers: a package (not a template or
	// layout), no draft, not trashed.
	Signable bool
	// Status is the package's status; empty if the index does not know it.
	Status string
	// Updated is when the package was last updated, as the platform writes it; empty if the
	// index does not know it.
	Updated string
	// Owner is the user who made the package through Countersign, else its sender's e-mail
	// address; empty if the index does not know it.
	Owner string

	// AsksProofs says that the package asked its signers to prove something, when it was read.
	AsksProofs bool

	hidden []string // ids of documents that the person may not see
	record *record  // the index's, where it decided
}

// Sees reports whether the person may see the document with that id.
func (g Grant) Sees(document string) bool {
	return g.Access > Signer || !slices.Contains(g.hidden, document)
}

// KnowsVisibilityOf reports whether the index knew, when it decided, which of the documents of a
// package are hidden from which people.
func (g Grant) KnowsVisibilityOf(p signing.Package) bool {
	r := g.record
	return r != nil && !r.stale && !r.Part && r.visibilityKnown() && r.Updated != "" && r.Updated == p.Updated.Text
}

// RoleSees reports whether a role sees a document, if KnowsVisibilityOf.
func (g Grant) RoleSees(document, role string) bool {
	return !slices.Contains(g.record.hiddenFrom([]string{role}), document)
}

// Platform reads packages at the platform. Errors are *fault.Error.
type Platform interface {
	// Package returns the package with that id; request.not-found if the platform has
	// none.
	Package(ctx context.Context, id string) (signing.Package, error)
	// Visibility returns, for each document that only some roles see, the ids of those
	// roles.
	Visibility(ctx context.Context, id string) (map[string][]string, error)
	// Packages yields the packages of a listing; nil for one that cannot be read.
	Packages(ctx context.Context, q signing.Query) iter.Seq2[jsontext.Value, error]
	// Count returns how many packages a listing has.
	Count(ctx context.Context, q signing.Query) (int, error)
}
