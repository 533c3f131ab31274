package index

import (
	"context"
	"errors"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
)

// errNotTheirs is the logged cause of a request.not-found for a package that is unknown
// or not the person's.
var errNotTheirs = errors.New("access: no package of that id that the person is anything to")

// Grant returns what the policy allows person on the package id. A signer, an owner or an
// operator whom the index knows costs one round trip to Redis.
//
// For anybody else the platform is asked, at most once a minute for each person and id,
// whether or not the index knows the id; RATE_LOOKUP counts these questions by session. A
// person who is neither signer nor owner gets request.not-found, as for an id that the
// platform does not know; other errors are request.rate, the platform's, and outages. An
// operator may do everything; for the roles of a package that the index does not know,
// the platform is asked.
func (x *Index) Grant(ctx context.Context, person access.Person, session, id string) (Grant, error) {
	return x.GrantBy(ctx, nil, person, session, id)
}

// GrantBy is Grant by the record of the package id that was read already; nil reads it.
func (x *Index) GrantBy(ctx context.Context, read *Reading, person access.Person, session, id string) (Grant, error) {
	r, err := x.judge(ctx, read, id)
	if err != nil {
		return Grant{}, err
	}
	if r != nil {
		if g := r.grant(person); g.Standing != Stranger {
			g.record = r
			return x.admit(ctx, person, id, &r.policy, g)
		}
	}
	if person.Operator {
		return x.askFor(ctx, person, id)
	}
	v, err := x.read(ctx, id, person)
	if err != nil {
		return Grant{}, err
	}
	if v.missed {
		return Grant{}, fault.Wrap(fault.RequestNotFound, errNotTheirs)
	}
	if err := x.takeLookup(ctx, session); err != nil {
		return Grant{}, err
	}
	return x.lookUp(ctx, person, id)
}

// admit returns g, the grant of a person whom policy p knows. A signer's grant is read
// from the platform anew if the visibility of documents is stale or the policy was cut.
func (x *Index) admit(ctx context.Context, person access.Person, id string, p *policy, g Grant) (Grant, error) {
	if g.Standing != Signer || !p.Cut && !p.visibilityStale(x.now(), x.sweep) {
		return g, nil
	}
	return x.askFor(ctx, person, id)
}

// askFor refreshes the package from the platform and returns person's grant.
func (x *Index) askFor(ctx context.Context, person access.Person, id string) (Grant, error) {
	c, err := x.refresh(ctx, id, refreshOptions{person: person, miss: rememberMiss(person)})
	if err != nil {
		return Grant{}, err
	}
	return grantOf(c.full, person)
}

// lookUp asks the platform for the package, once for all of the person's requests that
// wait for it, on whichever node.
func (x *Index) lookUp(ctx context.Context, person access.Person, id string) (g Grant, err error) {
	lease := redisdb.Lease{Kind: "lookup", Subject: person.User + "\x00" + id, Life: access.LookupLife, Wait: access.LookupWait}
	held, err := x.leases.Hold(ctx, lease, func(ctx context.Context) error {
		g, err = x.lookUpAlone(ctx, person, id)
		return err
	})
	if err == nil && !held {
		err = fault.Wrap(fault.ServerUnavailable, errors.New("access: look up: another request has not ended"))
	}
	return g, err
}

func (x *Index) lookUpAlone(ctx context.Context, person access.Person, id string) (Grant, error) {
	v, err := x.read(ctx, id, person)
	if err != nil {
		return Grant{}, err
	}
	p := v.policy()
	if v.missed || p != nil && p.standing(person) != Stranger { // another request looked meanwhile
		return grantOf(p, person)
	}
	return x.askFor(ctx, person, id)
}

// rememberMiss returns a refreshOptions.miss that remembers a 404 for person if the
// package is unknown or not theirs.
func rememberMiss(person access.Person) func(*access.Space, *policy) string {
	return func(s *access.Space, p *policy) string {
		if p == nil || p.grant(person).Standing == Stranger {
			return s.Person(person)
		}
		return ""
	}
}

// grantOf returns person's grant by policy p; request.not-found for a stranger and for a
// nil p.
func grantOf(p *policy, person access.Person) (Grant, error) {
	if p != nil {
		if g := p.grant(person); g.Standing != Stranger {
			return g, nil
		}
	}
	return Grant{}, fault.Wrap(fault.RequestNotFound, errNotTheirs)
}
