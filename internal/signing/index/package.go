// Package index decides whose a package is, and keeps an index of all packages in
// Redis so that it can say so without asking the platform: the policy of electronic
// signing, and people's own lists.
//
// The platform has the truth. The index is written through after our own calls
// (Refresh, Gone), corrected by the platform's callbacks (Callback), and by a sweep of
// the listing that one node makes at a time (Run). Deleting it costs a sweep.
//
// # What Redis holds
//
// Everything is named and sealed by a key of the index's own, which lies in Redis
// sealed under each of ACCESS_KEYS that is in use:
//
//	access:{i}:key:name          the index's own key, sealed under one of ACCESS_KEYS
//	access:{i}:index:state       hash: counters, the watermark, when it was built
//	access:{i}:index:records     hash: package → revision, place in lists, policy, item
//	access:{i}:index:l:name      sorted set: packages of one list, the newest last
//	access:{i}:index:versions    hash: whose lists changed how often
//	access:{i}:index:u:name      sorted set: lists that were read together, for a while
//	access:{i}:index:m:name      sorted set: people that a package was not found for
//	access:{i}:index:events      stream: callbacks that have not been worked off
//
// One hash tag keeps all of it in one slot of a cluster, so that one script changes a
// record and the lists it is in, and a list is read in one step. Each of them outlives
// by weeks the whole walk that renews it daily, and goes with an index that nobody uses
// any more.
//
// # Order of writes
//
// What the platform said is only written where nobody wrote the record since the
// platform was asked: the script refuses a record whose revision is later than the
// counter was before the question. So an older answer never takes the place of a
// newer one, whatever clock or node it comes from; the refused one asks again.
package index

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Standing is what a person is to a package, the more the later.
type Standing int

// The standings, as the table in docs/signing.md has them.
const (
	Stranger Standing = iota
	Signer
	Owner
	Operator
)

// Grant is what the policy says of one person and one package.
type Grant struct {
	// Standing of a Stranger is never returned without an error.
	Standing Standing
	// Roles are the ids of the roles whose signer the person is, whatever else they
	// are, and Signers are their ids as signers of these.
	Roles, Signers []string
	// Names are the e-mail address and the ids that name the person as a signer and
	// nobody else, in lower case, and SoleRoles the roles whose only signer they are: an
	// id may be another signer's too.
	Names, SoleRoles []string
	// Signable says that the package is with its signers: no draft, not trashed, no
	// template.
	Signable bool
	// Status is the package's; empty where the index does not know it.
	Status string

	hidden []string // ids of documents
}

// Sees reports whether the person may see the document of that id.
func (g Grant) Sees(document string) bool {
	return g.Standing > Signer || !slices.Contains(g.hidden, document)
}

// Listing says which packages of the platform to walk.
type Listing struct {
	// Type is PACKAGE, TEMPLATE or LAYOUT.
	Type string
	// Trashed asks for the trashed ones, which no other listing has.
	Trashed bool
	// Since is the earliest last update; zero asks for all.
	Since time.Time
}

// Platform is the part of the platform that the index is made of. Errors are
// *fault.Error.
type Platform interface {
	// Package is the package of that id; the error is request.not-found where the
	// platform has none.
	Package(ctx context.Context, id string) (jsontext.Value, error)
	// Visibility is, for each document that not everybody sees, the ids of the roles
	// that see it.
	Visibility(ctx context.Context, id string) (map[string][]string, error)
	// Packages are the packages of a listing, the earliest created first.
	Packages(ctx context.Context, l Listing) iter.Seq2[jsontext.Value, error]
	// Count is how many these are.
	Count(ctx context.Context, l Listing) (int, error)
}
