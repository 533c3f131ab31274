// Package service has the use cases of packages, for JSON and pages. Each use case is written
// here once; JSON below /api and the pages decode a request, call it and answer.
//
// What the platform has done is done: if the index or live pages cannot be told of it, the
// person is told of the success, the request's log tells why, and the next read of the
// package or the next sweep corrects the index. The changes of both end in Done, which tells
// the index, the live pages of every node and the audit trail.
//
// The package knows neither HTTP servers nor pages. Every error is a *fault.Error.
package service

import (
	"cmp"
	"context"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/payload"
	"countersign/internal/retention"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
)

// Service is electronic signing. All of it but Owners and Retention is required. It is safe for concurrent use.
type Service struct {
	Platform *platform.Client
	Index    *index.Index
	// Once keeps what a key has made.
	Once *idempotency.Store
	// Hint has the live pages of a topic read it now.
	Hint func(ctx context.Context, topic string)
	// Revisions numbers what packages contain, for their pages and streams.
	Revisions events.Revisions
	// Files keeps documents whose pages are shown.
	Files *Files
	// OperatorsCreate says that operators alone create packages.
	OperatorsCreate bool
	// Production says that payloads must name no address that nobody has.
	Production bool
	// Limits are the limits of documents.
	Limits signing.Limits
	// Sites are the hosts of the platform's signing pages.
	Sites config.Hosts
	// Proofs is for what packages ask of their signers.
	Proofs *Proofs
	// Owners tells the owners of packages how these ended; nil tells nobody.
	Owners *OwnerNotices
	// Retention is the rule by which packages go to the trash; nil for none.
	Retention *retention.Rule
}

// Topic returns the name under which the hub knows the package of that id.
func Topic(id string) string { return "package " + id }

// Opened is a package as the platform has it now, and what the actor may do with it.
type Opened struct {
	ID    string
	Grant index.Grant
	// Full is the platform's package; Visible is the part that the actor may see.
	Full, Visible signing.Package
}

// Owns reports whether the person is the package's owner: they made it through Countersign, or
// they are its sender.
func (o Opened) Owns(person access.Person) bool {
	owner := o.Full.Countersign.Owner
	return owner != "" && owner == person.User || person.Email != "" && payload.FoldAddress(o.Full.Sender.Email) == person.Email
}

// MayChange reports whether the actor owns the package or is an operator.
func (o Opened) MayChange() bool { return o.Grant.Access > index.Signer }

// Grant returns what the actor may do with the package of that id; request.not-found for
// people who have nothing to do with it. It is recorded that an operator reads the package.
func (s *Service) Grant(ctx context.Context, who access.Actor, id string) (index.Grant, error) {
	return s.GrantFor(ctx, who, id, "getPackage")
}

// GrantFor is Grant for another operation that reads the package.
func (s *Service) GrantFor(ctx context.Context, who access.Actor, id, operation string) (index.Grant, error) {
	if !signing.ValidID(id) {
		return index.Grant{}, fault.New(fault.RequestNotFound)
	}
	g, err := s.Index.Grant(ctx, who.Person, who.Session, id)
	if err == nil {
		who.Reads(operation, id, g.Owner)
	}
	return g, err
}

// Reads records that an operator reads the package of that id without a grant.
func (s *Service) Reads(ctx context.Context, who access.Actor, id, operation string) {
	if !who.Operator {
		return
	}
	owner := s.OwnerOf(ctx, who, id)
	if owner == "" { // a package that the index has not met
		s.Refresh(ctx, who, id)
		owner = s.OwnerOf(ctx, who, id)
	}
	who.Reads(operation, id, owner)
}

// OwnerOf returns the owner of the package of that id by the index, for the audit trail; "" if
// the index knows none, or cannot tell.
func (s *Service) OwnerOf(ctx context.Context, who access.Actor, id string) string {
	owner, err := s.Index.OwnerOf(ctx, id)
	who.LogFailure("ask the index for the owner of package "+id, err)
	return owner
}

// GrantToChange is Grant for a change of the package: signing.read-only for its signers.
func (s *Service) GrantToChange(ctx context.Context, who access.Actor, id string) (index.Grant, error) {
	g, err := s.Grant(ctx, who, id)
	if err == nil && g.Access <= index.Signer {
		err = fault.New(fault.SigningReadOnly)
	}
	return g, err
}

// Open reads the package of that id. Where the index has another state of it, it is told.
func (s *Service) Open(ctx context.Context, who access.Actor, id string) (o Opened, err error) {
	o.ID = id
	if o.Grant, err = s.Grant(ctx, who, id); err != nil {
		return o, err
	}
	if o.Full, err = s.Platform.Package(ctx, id); err != nil {
		return o, err
	}
	return s.opened(ctx, who, o)
}

// opened completes o, of which the package was read under its grant.
func (s *Service) opened(ctx context.Context, who access.Actor, o Opened) (_ Opened, err error) {
	if s.Correct(ctx, who, o.ID, o.Grant, o.Full.Raw(), false) && !who.Operator { // it may be somebody else's by now
		if o.Grant, err = s.Grant(ctx, who, o.ID); err != nil {
			return o, err
		}
	}
	o.Visible, err = visible(o.Full, who.Person, o.Grant)
	return o, err
}

// OpenItem returns an item of the person's list. Its approvals are missing: ProgressIn tells
// how far it is.
func OpenItem(person access.Person, item index.Item) (o Opened, err error) {
	if o.Full, err = signing.ReadPackage(item.Package); err != nil {
		return o, err
	}
	o.Full.IsItem = true
	o.ID, o.Grant = o.Full.ID, item.Grant
	o.Visible, err = visible(o.Full, person, item.Grant)
	return o, err
}

// visible returns the part of the platform's package that the person may see.
func visible(p signing.Package, person access.Person, g index.Grant) (signing.Package, error) {
	if g.Access != index.Signer {
		return p, nil
	}
	reduced, err := signing.Reduce(p.Raw(), viewerOf(person, g))
	if err != nil {
		return signing.Package{}, err
	}
	return signing.ReadPackage(reduced)
}

// viewerOf returns the signer that a person is to the package of g.
func viewerOf(person access.Person, g index.Grant) signing.Viewer {
	return signing.Viewer{Email: person.Email, Roles: g.Roles, Signers: g.Signers, Documents: g.Sees}
}

// MayCreate reports whether person may create packages.
func (s *Service) MayCreate(person access.Person) bool { return !s.OperatorsCreate || person.Operator }

// Creator returns signing.operators-only where the actor may not create packages.
func (s *Service) Creator(who access.Actor) error {
	if !s.MayCreate(who.Person) {
		return fault.New(fault.SigningOperatorsOnly)
	}
	return nil
}

// Refresh tells the index what a package is now. What cannot be told now the next sweep
// finds.
func (s *Service) Refresh(ctx context.Context, who access.Actor, id string) {
	who.LogFailure("tell the index of package "+id, s.Index.Refresh(ctx, id))
}

// Effect says what an operation did to a package.
type Effect int

// The effects.
const (
	// Untouched leaves the package as it is, such as a reminder.
	Untouched Effect = iota
	// Changed is the package made or changed.
	Changed
	// Deleted is the package gone.
	Deleted
)

// Change is an operation that the platform has carried out.
type Change struct {
	// Operation is the platform's name.
	Operation string
	// Package is the id; "" for an operation on the account.
	Package string
	Effect  Effect
	// Made says that the package is new, and the actor's, with that status and type; "" is a
	// draft, and a package. People are e-mail addresses of people that it may concern from now on.
	Made         bool
	Status, Type string
	People       []string
	// Owner is whose package an Untouched one is, or a Deleted one was; of any other the index
	// knows it.
	Owner string
}

// Done tells the index, live pages and the audit trail of what the platform has carried out. It
// does not ask the platform: the index reads a Changed package later.
func (s *Service) Done(ctx context.Context, who access.Actor, c Change) {
	if c.Effect != Untouched {
		var owner string
		var err error
		if c.Effect == Deleted {
			owner, err = s.Index.NoteChange(ctx, c.Package, true)
		} else {
			owner, err = s.Index.RecordWrite(ctx, index.PackageWrite{Package: c.Package, By: who.Person, Made: c.Made, Status: c.Status, Type: c.Type, People: c.People})
		}
		c.Owner = cmp.Or(owner, c.Owner) // a callback may have told the index that it is gone
		who.LogFailure("tell the index of package "+c.Package, err)
		s.Files.Drop(c.Package)
		s.Hint(ctx, Topic(c.Package))
	}
	event := audit.Event{Kind: audit.PackageChanged, Operation: c.Operation, Subject: c.Package}
	if who.Operator && c.Owner != who.User {
		event.OnBehalfOf = c.Owner
	}
	who.Record(event)
}

// Correct tells the index, and live pages, where a package that was read differs from what
// the index has; g is the grant under which it was read, and read is nil where the platform
// has it no longer. part says that members may be missing. It returns true if the index has
// another state by then, and so perhaps another grant.
func (s *Service) Correct(ctx context.Context, who access.Actor, id string, g index.Grant, read []byte, part bool) (changed bool) {
	changed, err := s.Index.Correct(ctx, id, g, read, part)
	if err == nil && changed {
		s.Hint(ctx, Topic(id))
	}
	who.LogFailure("correct the index by package "+id, err)
	return changed
}
