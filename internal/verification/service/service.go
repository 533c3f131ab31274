// Package service has the use cases of identity checks, for JSON and pages. Each use case is
// written once; the JSON API below /api and the pages decode a request, call it and answer.
//
// A use case decides who can do it (docs/integrate/identity-checks.md), checks the transaction's
// state, calls the platform, and tells the index, live pages and the audit trail what was
// done. Other users of a transaction get request.not-found, as for an id that the platform
// does not know.
//
// A success of the platform stays a success: if the index or live pages cannot be told,
// the request's log line says why, and the next read of the transaction corrects the
// index. The link to an audit trail is the exception, because only the index keeps it.
//
// The package knows neither gin nor pages. Every error is a *fault.Error.
package service

import (
	"context"
	"log/slog"
	"time"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/retention"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/internal/verification/platform"
)

// Service holds the use cases. All fields but Retention are required. It is safe for concurrent use.
type Service struct {
	Platform *platform.Client
	Index    *index.Index
	// Once remembers which transaction an idempotency key has started.
	Once *idempotency.Store
	// Rules check the payload that starts a transaction.
	Rules verification.Rules
	// Limiter counts the transactions that a person starts, and Creations limits them.
	Limiter   *ratelimit.Limiter
	Creations ratelimit.Limit
	// OperatorsCreate says that only operators may start transactions. StartersErase says
	// that the starter of a transaction may have it erased.
	OperatorsCreate, StartersErase bool
	// LinkLifetime is the time for which a link to pass on counts: the platform does not
	// say how long its tokens live.
	LinkLifetime time.Duration
	// Hint tells live pages to read the transaction of that id now.
	Hint func(ctx context.Context, id string)
	// Logger logs failures outside of requests.
	Logger *slog.Logger
	Now    func() time.Time
	// Retention is the rule by which transactions are erased; nil for none.
	Retention *retention.Rule
}

// Transaction is a transaction as the platform has it now, with what the actor may do.
type Transaction struct {
	verification.Transaction
	// MayPlay says that the actor started it; nobody else may act as the person. MayErase
	// says that the actor may have it erased.
	MayPlay, MayErase bool
	// Self says that it is about its starter.
	Self bool

	startedBy string // "" if not started through Countersign
}

// granted looks up what the actor may do with a transaction.
func (s *Service) granted(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	g, err := s.Index.Grant(ctx, who.Person, who.Session, id)
	return Transaction{MayPlay: g.MayPlay(), MayErase: g.MayErase(s.StartersErase), startedBy: g.StartedBy}, err
}

// Get returns the transaction of that id to its starter and to operators.
func (s *Service) Get(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	t, err := s.get(ctx, who, id)
	if err == nil {
		who.Reads("getTransaction", id, t.startedBy)
	}
	return t, err
}

// get is Get as a part of another use case.
func (s *Service) get(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	t, err := s.granted(ctx, who, id)
	if err != nil {
		return t, err
	}
	return s.read(ctx, who, id, t)
}

// grantedToRead is granted for an operation that reads the transaction, which is recorded of
// operators.
func (s *Service) grantedToRead(ctx context.Context, who access.Actor, id, operation string) error {
	t, err := s.granted(ctx, who, id)
	if err == nil {
		who.Reads(operation, id, t.startedBy)
	}
	return err
}

// read adds the platform's current transaction to t, which holds the actor's grant.
func (s *Service) read(ctx context.Context, who access.Actor, id string, t Transaction) (_ Transaction, err error) {
	t.Transaction, err = s.Platform.Transaction(ctx, id)
	if err == nil {
		by, _ := s.Index.Open(t.OpaqueID)
		t.Self = by.Self
		who.LogFailure("tell the index of a verification", s.Index.Upsert(ctx, t.Value))
	}
	return t, s.forget(ctx, who, id, err)
}

// active is Get, but returns verification.state once the transaction is over.
func (s *Service) active(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	return whileActive(s.get(ctx, who, id))
}

func whileActive(t Transaction, err error) (Transaction, error) {
	if err == nil {
		err = t.WhileActive()
	}
	return t, err
}

// forget tells the index if err says that the platform does not know a transaction, and
// returns err.
func (s *Service) forget(ctx context.Context, who access.Actor, id string, err error) error {
	if fault.Is(err, fault.RequestNotFound) {
		who.LogFailure("tell the index of a verification", s.Index.Missing(ctx, id))
	}
	return err
}

// done writes the audit event of an operation that the platform has carried out, and
// hints live pages.
func (s *Service) done(ctx context.Context, who access.Actor, operation, id, startedBy string) {
	e := audit.Event{Kind: audit.VerificationChanged, Operation: operation, Subject: id}
	if startedBy != who.User {
		e.OnBehalfOf = startedBy
	}
	who.Record(e)
	s.Hint(context.WithoutCancel(ctx), id)
}
