// Package service carries out what people do with identity verifications: start one, play
// it, read what came of it, cancel it, have it erased. Each use case is written here once;
// the doors, JSON below /api and the pages, decode a request, call it and answer.
//
// A use case decides who may (docs/verification.md), asks the platform, and tells of what was done: the index, live pages and the audit trail. Whoever
// is nothing to a transaction gets request.not-found, as for an id that the platform does
// not know.
//
// What the platform has done is done: if the index or live pages cannot be told of it, the
// person is told of the success, the request's log tells why, and the next read of the
// transaction corrects the index. The link to an audit trail is the exception, since nothing
// else knows it.
//
// The package knows neither HTTP servers nor pages. Every error is a *fault.Error.
package service

import (
	"countersign/internal/verification/index"

	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/verification"
)

// Service is identity verification. All of it is required. It is safe for concurrent use.
type Service struct {
	Platform *verification.Client
	Index    *index.Index
	// Once keeps which transaction a key has started.
	Once *idempotency.Store
	// Rules are what the payload that starts a transaction is held to.
	Rules verification.Rules
	// Limiter and Creations limit how many transactions a person starts.
	Limiter   *ratelimit.Limiter
	Creations ratelimit.Limit
	// OperatorsCreate says that operators alone start transactions, StartersErase that
	// whoever started one may have it erased.
	OperatorsCreate, StartersErase bool
	// Hint has live pages of the transaction of that id read it now.
	Hint func(ctx context.Context, id string) error
	// Logger takes what goes wrong outside of requests.
	Logger *slog.Logger
	Now    func() time.Time
}

// Transaction is one as the platform has it now, and what the actor may do with it.
type Transaction struct {
	verification.Transaction
	// MayPlay says that the actor started it: nobody plays somebody else. MayErase says
	// that they may have it erased.
	MayPlay, MayErase bool

	startedBy string // "" where nobody did through Countersign
}

// granted returns what the actor may do with a transaction.
func (s *Service) granted(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	g, err := s.Index.Grant(ctx, who.Person, who.Session, id)
	return Transaction{MayPlay: g.MayPlay(), MayErase: g.MayErase(s.StartersErase), startedBy: g.StartedBy}, err
}

// Get returns the transaction of that id, to its starter and to operators.
func (s *Service) Get(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	t, err := s.granted(ctx, who, id)
	if err != nil {
		return t, err
	}
	return s.read(ctx, who, id, t)
}

// read completes t, which the actor was granted.
func (s *Service) read(ctx context.Context, who access.Actor, id string, t Transaction) (_ Transaction, err error) {
	t.Transaction, err = s.Platform.Transaction(ctx, id)
	if err == nil {
		tell(who, s.Index.Saw(ctx, t.Value))
	}
	return t, s.forget(ctx, who, id, err)
}

// active is Get for what is done before the end: verification.state otherwise.
func (s *Service) active(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	return whileActive(s.Get(ctx, who, id))
}

func whileActive(t Transaction, err error) (Transaction, error) {
	if err == nil {
		err = t.WhileActive()
	}
	return t, err
}

// forget takes a transaction out of the index that the platform does not know, and returns
// err.
func (s *Service) forget(ctx context.Context, who access.Actor, id string, err error) error {
	if fault.Is(err, fault.RequestNotFound) {
		tell(who, s.Index.Gone(ctx, id))
	}
	return err
}

// done records that the platform has carried out an operation, and has live pages read the
// transaction.
func (s *Service) done(ctx context.Context, who access.Actor, operation, id, startedBy string) {
	e := audit.Event{Kind: audit.VerificationChanged, Operation: operation, Subject: id}
	if startedBy != who.Person.User {
		e.OnBehalfOf = startedBy
	}
	who.Record(e)
	if err := s.Hint(context.WithoutCancel(ctx), id); err != nil {
		who.Note(fmt.Errorf("tell who watches verification %s: %w", id, err))
	}
}

// tell logs that the index could not be told; nil logs nothing.
func tell(who access.Actor, err error) {
	if err != nil {
		who.Note(fmt.Errorf("tell the index of verifications: %w", err))
	}
}
