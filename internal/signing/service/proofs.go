package service

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"
	"time"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/redisdb"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/proofs"
)

// Proofs is what the use cases of proofs need beside the Service. Checks may be nil.
type Proofs struct {
	// Keeper seals what signers proved.
	Keeper proofs.Keeper
	// Leases let one request at a time write Countersign's own data of a package.
	Leases *redisdb.Leases
	// Checks are people's own identity checks; nil if there are none here.
	Checks Checks
	// Models knows the models of people's passkeys.
	Models Models
	// Record writes an audit event that belongs to no request.
	Record func(ctx context.Context, e audit.Event)
	// Log tells of failures outside of requests.
	Log func(ctx context.Context, doing string, err error)
	Now func() time.Time

	hashes hashes
}

// Checks finds the identity checks that people made of themselves.
type Checks interface {
	// Own yields those of a user, the newest first but failed ones last, as the platform has
	// them now. A check that is not completed is left out.
	Own(ctx context.Context, user string) iter.Seq2[Check, error]
}

// Models knows the models of people's passkeys.
type Models interface {
	// Used returns the model of the passkey by which a user signed in at a time.
	Used(ctx context.Context, user string, at time.Time) (Model, error)
}

// Model is what is known of a passkey: its AAGUID, who made it, and its kind; "" is not known.
type Model struct{ AAGUID, Provider, Kind string }

// Check is a completed identity check.
type Check struct {
	Transaction string
	Completed   time.Time
	Passed      bool
	// Document is what the document says.
	Document proofs.Name
	// Erased says that it is marked for erasure.
	Erased bool
}

const (
	// dataLife limits how long a change of a package's own data keeps others from it after
	// its node died, dataWait how long one request waits for another.
	dataLife = 15 * time.Second
	dataWait = 30 * time.Second
)

// WithPackageLock runs work for one request at a time that prepares a draft or writes the data of
// a package, over all nodes. id is the package's, or names one that is being made.
func (s *Service) WithPackageLock(ctx context.Context, id string, work func(context.Context) error) error {
	held, err := s.Proofs.Leases.WithLease(ctx, redisdb.Lease{Kind: "compose", Subject: id, Life: dataLife, Wait: dataWait}, work)
	if err == nil && !held {
		err = fault.Wrap(fault.ServerUnavailable, errDataBusy)
	}
	return err
}

// loadedPackage is a package as the platform has it now, with what it asks.
type loadedPackage struct {
	signing.Package
	rules proofs.Rules
}

func (s *Service) load(ctx context.Context, id string) (loadedPackage, error) {
	p, err := s.Platform.Package(ctx, id)
	if err != nil {
		return loadedPackage{}, err
	}
	return rulesOf(p)
}

func rulesOf(p signing.Package) (r loadedPackage, err error) {
	r.Package = p
	if r.rules, err = proofs.ReadRules(p.Countersign.Proofs); err != nil {
		return r, fault.Wrap(fault.PlatformFailed, err)
	}
	return r, nil
}

// asking returns those of the session's roles of which the package asks proofs. The error is
// signing.not-your-role if it asks some, and the session is no role's.
func (r loadedPackage) asking(ctx context.Context, d SigningSession) ([]signing.Role, error) {
	roles, err := d.Roles(ctx, r.Package)
	if err == nil && len(roles) == 0 && r.rules.Any() {
		err = fault.New(fault.SigningNotYourRole)
	}
	return slices.DeleteFunc(slices.Clone(roles), func(role signing.Role) bool { return !r.rules[role.ID].Any() }), err
}

// SigningSession is a signing page that opens for the actor.
type SigningSession struct {
	Package string
	// Grant is the actor's.
	Grant index.Grant
	// Roles returns the roles that it opens for, as the package is now.
	Roles func(context.Context, signing.Package) ([]signing.Role, error)
}

// Asks reports whether the package asks proofs of a role of the session.
func (s *Service) Asks(ctx context.Context, d SigningSession) (bool, error) {
	at, err := s.load(ctx, d.Package)
	if err != nil {
		return false, err
	}
	roles, err := at.asking(ctx, d)
	return len(roles) > 0, err
}

// OpenSigningPage runs open, which makes the key to the signing page, if the actor has proved what
// the package asks, and keeps what they proved; the caller hands the key out only without
// an error. The error is signing.proof if a proof is missing, platform.unavailable or
// server.unavailable if it cannot be kept, and else open's or the platform's.
func (s *Service) OpenSigningPage(ctx context.Context, who access.Actor, d SigningSession, open func(context.Context) error) error {
	if !d.Grant.AsksProofs {
		if asks, err := s.Asks(ctx, d); err != nil {
			return err
		} else if !asks {
			return open(ctx)
		}
	}
	return s.WithPackageLock(ctx, d.Package, func(ctx context.Context) error {
		at, err := s.load(ctx, d.Package)
		if err != nil {
			return err
		}
		roles, err := at.asking(ctx, d)
		if err != nil {
			return err
		}
		if len(roles) == 0 {
			return open(ctx)
		}
		entries, err := s.prove(ctx, who, at, roles)
		if err == nil {
			err = s.hashInto(ctx, at, d.Grant, entries)
		}
		if err == nil {
			err = open(ctx)
		}
		if err != nil {
			return err
		}
		return s.keep(ctx, who, at, entries)
	})
}

// errNotNow ends the opening of a signing page where the actor has nothing to sign now.
var errNotNow = errors.New("service: it is not the actor's turn")

// OpenSigning opens the platform's page where the actor signs the package of that id now, and
// returns its address; "" where they have nothing to sign, or not yet. The package is empty
// where it was not read. The errors are OpenSigningPage's.
func (s *Service) OpenSigning(ctx context.Context, who access.Actor, id string) (o Opened, address string, err error) {
	o.ID = id
	if o.Grant, err = s.Grant(ctx, who, id); err != nil {
		return o, "", err
	}
	var own signing.Role
	session := SigningSession{Package: id, Grant: o.Grant, Roles: func(ctx context.Context, p signing.Package) (_ []signing.Role, err error) {
		o.Full = p
		if o, err = s.opened(ctx, who, o); err != nil {
			return nil, err
		}
		var turn Turn
		if own, turn = OwnTurn(p, o.Grant, ProgressOf(p)); turn != Now {
			return nil, errNotNow
		}
		return []signing.Role{own}, nil
	}}
	var page *url.URL
	err = s.OpenSigningPage(ctx, who, session, func(ctx context.Context) (err error) {
		page, err = s.Platform.SigningPage(ctx, id, nameFor(own, o.Grant))
		return err
	})
	switch {
	case errors.Is(err, errNotNow):
		return o, "", nil
	case err != nil:
		return o, "", err
	}
	return o, page.String(), nil
}

// nameFor returns a name of a signer of the role that means the grant's person and nobody
// else: the id, or the e-mail address; "" if they are none of its signers.
func nameFor(r signing.Role, g index.Grant) string {
	for _, signer := range r.Signers {
		for _, name := range []string{signer.ID, signer.Email} {
			if slices.Contains(g.Names, payload.FoldAddress(name)) {
				return name
			}
		}
	}
	return ""
}

// RolesNamed returns the roles that a signer's token opens: those of every signer who has
// that id, or that e-mail address, or the role itself.
func RolesNamed(p signing.Package, name string) (roles []signing.Role) {
	name = payload.FoldAddress(name)
	for _, r := range p.Roles {
		called := payload.FoldAddress(r.ID) == name
		for _, signer := range r.Signers {
			called = called || payload.FoldAddress(signer.ID) == name || payload.FoldAddress(signer.Email) == name
		}
		if called {
			roles = append(roles, r)
		}
	}
	return roles
}

// canReadAllRoles reports whether the grant's person may read what is asked of every role.
func canReadAllRoles(g index.Grant) bool { return g.Access > index.Signer }
