// Package account checks the status of accounts and carries out the actions of administrators.
// From time to time it asks the platform about a signed-in person, once for all of the
// person's requests on all nodes, and ends every session of a person whose account is
// disabled, locked, expired or gone. It also holds what operators do about other people: find
// them, look at their account, end their sessions, remove their authenticators, unlock and
// enable them.
//
// A session remembers when the platform last answered about its person and when it was
// last asked, so a request for which nothing is due costs nothing. Where an answer is due,
// Redis holds, for each person:
//
//	cs:o:{name}    the platform's last answer, sealed, or that there was none
//	cs:o:{name}:l  the lease of the request that asks
//
// The name is an HMAC of the person. A platform that fails or is slow says nothing about
// an account: the session goes on.
package account

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/seal"
	"countersign/session"
)

const (
	// askWithin limits how long a request waits for the platform's answer.
	askWithin = 2 * time.Second
	// askAgain is the time after which a platform that did not answer is asked again.
	askAgain = 10 * time.Second
)

// Options configure a Checker. All of them are required, except Every.
type Options struct {
	Identity *platform.Client
	Sessions *session.Store
	Ending   Ending
	// Redis is a client that never sends a script twice, such as redisdb's.
	Redis redis.Cmdable
	// Keys are the session keys.
	Keys seal.Keys
	// Every is the time after which the platform is asked again; zero never asks. Grace is
	// the time without an answer after which Answered refuses.
	Every, Grace time.Duration
	// Record writes an audit event of no request.
	Record func(context.Context, audit.Event)
	// Checked is told each answer of the platform: its verdict, one of Verdicts, and the
	// error of one that is none.
	Checked func(verdict string, err error)
	Now     func() time.Time
}

// The verdicts of the platform's answers besides the states of platform.User and
// platform.Unknown: an answer that does not say whether the account can be used, and none.
const (
	Unreadable = "unreadable"
	Unanswered = "unanswered"
)

// Verdicts returns all verdicts.
func Verdicts() []string {
	return []string{platform.Active, platform.Disabled, platform.Locked, platform.Expired, platform.Unknown, Unreadable, Unanswered}
}

// Checker asks the platform about signed-in people. It is safe for concurrent use.
type Checker struct {
	Options

	mu      sync.Mutex
	flights map[string]*flight // by person
}

// New makes a Checker.
func New(o Options) *Checker { return &Checker{Options: o, flights: map[string]*flight{}} }

// due reports whether the platform is to be asked about the session's person.
func (c *Checker) due(s *session.Session) bool {
	if _, signedIn := s.User(); !signedIn || c.Every == 0 {
		return false
	}
	now := c.Now()
	answered, asked := s.Asked()
	return now.Sub(answered) > c.Every && (!asked.After(answered) || now.Sub(asked) > min(askAgain, c.Every))
}

// Request is the request that comes to be checked.
type Request struct {
	// Record writes an audit event of it; nil writes one of no request.
	Record func(audit.Event)
	// Log has its log line tell an error that its answer does not; nil is none.
	Log func(error)
}

// Check asks the platform about the session's person if that is due. The error is
// session.account if the account can no longer be used: every session of the person has
// ended then, and their kept forms. Any other failure is logged, and the request goes on.
func (c *Checker) Check(ctx context.Context, s *session.Session, r Request) error {
	if !c.due(s) {
		return nil
	}
	person, _ := s.User()
	said, err := c.ask(ctx, person.ID)
	if err != nil {
		r.log(err)
		return nil
	}
	if said.Lost != "" {
		return c.end(ctx, person.ID, said, r)
	}
	if said.Failed {
		err = c.Sessions.Unanswered(ctx, s, said.at())
	} else {
		err = c.Sessions.Answered(ctx, s, session.User{ID: person.ID, DisplayName: said.DisplayName, Email: said.Email}, said.at())
	}
	if err != nil && !fault.Is(err, fault.SessionRequired) {
		r.log(err)
		return nil
	}
	return err // the session ended meanwhile
}

func (r Request) log(err error) {
	if r.Log != nil {
		r.Log(err)
	}
}

// Answered returns platform.unavailable if the platform has not answered about the
// session's person for the whole of Grace.
func (c *Checker) Answered(s *session.Session) error {
	if _, signedIn := s.User(); !signedIn || c.Every == 0 {
		return nil
	}
	if answered, _ := s.Asked(); c.Now().Sub(answered) > c.Grace {
		return fault.New(fault.PlatformUnavailable).After(min(askAgain, c.Every))
	}
	return nil
}

// end ends everything of a person whose account can no longer be used.
func (c *Checker) end(ctx context.Context, person string, said answer, r Request) error {
	found, err := c.Ending.All(ctx, person)
	if e := (audit.Event{Kind: audit.AccountEnded, Person: person, Reason: said.Lost}); found && r.Record != nil {
		r.Record(e)
	} else if found {
		c.Record(ctx, e)
	}
	if err != nil {
		return err
	}
	return fault.New(fault.SessionAccount)
}

// Ending ends what is left of people.
type Ending struct {
	Sessions *session.Store
	// Forms deletes a person's kept forms and ends the tickets of their pages, which may fail
	// where Redis is full; nil if no forms are kept.
	Forms func(ctx context.Context, person string)
}

// All ends every session of the person on every node, and their kept forms. It returns
// false if there was no session. The error is an outage.
func (e Ending) All(ctx context.Context, person string) (found bool, err error) {
	if found, err = e.Sessions.EndAll(ctx, person); err == nil && e.Forms != nil {
		e.Forms(ctx, person)
	}
	return found, err
}
