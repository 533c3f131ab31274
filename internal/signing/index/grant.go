package index

import (
	"context"
	"errors"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
)

// errNotTheirs is why a person is told that there is no such package.
var errNotTheirs = errors.New("access: no package of that id that the person is anything to")

// Grant is what the policy says of person and the package of that id, in one round trip
// to Redis where the index knows them as its signer, its owner, or an operator.
//
// For anybody else the platform is asked, once a minute for a person and an id, whether
// the index knows the id or not; session is what RATE_LOOKUP counts by. Whoever is
// nothing to the package gets request.not-found, as for an id that the platform does not
// know; other errors are request.rate, the platform's, and outages. An operator may do
// everything whatever the index says: theirs are the roles, for which the platform is
// asked where the index does not know the package.
func (x *Index) Grant(ctx context.Context, person access.Person, session, id string) (Grant, error) {
	p, err := x.peek(ctx, id)
	if err != nil {
		return Grant{}, err
	}
	if p != nil {
		if g := p.grant(person); g.Standing != Stranger {
			return x.admit(ctx, person, id, p, g)
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
	if err := x.lookup(ctx, session); err != nil {
		return Grant{}, err
	}
	return x.lookUp(ctx, person, id)
}

// admit is the grant g of person by a policy that knows them. A signer's is renewed
// where it has to be asked again which documents they see, or what was cut from the policy.
func (x *Index) admit(ctx context.Context, person access.Person, id string, p *policy, g Grant) (Grant, error) {
	if g.Standing != Signer || !p.Cut && !p.visibilityStale(x.now(), x.sweep) {
		return g, nil
	}
	return x.askFor(ctx, person, id)
}

// askFor asks the platform for the package.
func (x *Index) askFor(ctx context.Context, person access.Person, id string) (Grant, error) {
	p, err := x.settle(ctx, id, settling{person: person, misses: missing(person)})
	if err != nil {
		return Grant{}, err
	}
	return grantOf(p, person)
}

// lookUp asks the platform for the package, once for all of the person's requests that
// wait for it, on whatever node.
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

// missing has person remembered as one who misses a package that is not theirs.
func missing(person access.Person) func(*access.Space, *policy) string {
	return func(s *access.Space, p *policy) string {
		if p == nil || p.grant(person).Standing == Stranger {
			return s.Person(person)
		}
		return ""
	}
}

// grantOf is the grant of person by what the platform said; request.not-found for a
// stranger and for no package.
func grantOf(p *policy, person access.Person) (Grant, error) {
	if p != nil {
		if g := p.grant(person); g.Standing != Stranger {
			return g, nil
		}
	}
	return Grant{}, fault.Wrap(fault.RequestNotFound, errNotTheirs)
}
