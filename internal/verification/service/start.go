package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

// Start is the input of Service.Start.
type Start struct {
	// Payload is the JSON of Create Transaction.
	Payload io.Reader
	// Self says that the person verifies themselves.
	Self bool
	// Key is an idempotency key; "" if there is none. The same request with the same key
	// starts only one transaction.
	Key string
	// Wait limits how long to wait for the key's first use; zero is not at all.
	Wait time.Duration
}

// MayStart returns verification.operators-only if the person may not start transactions.
func (s *Service) MayStart(p access.Person) error {
	if s.OperatorsCreate && !p.Operator {
		return fault.New(fault.VerificationOperatorsOnly)
	}
	return nil
}

// Start starts a transaction and seals the starter in its opaque_id. If the key has started
// one before, replayed is true and the result is Get's. The errors come from
// verification.ReadCreation, ratelimit.Limiter.Take, platform.Client.Create and
// idempotency.Store.Do; request.idempotency-lost says that the key's first use got no answer:
// what it started cannot be looked for.
func (s *Service) Start(ctx context.Context, who access.Actor, in Start) (t Transaction, replayed bool, err error) {
	if err := s.MayStart(who.Person); err != nil {
		return t, false, err
	}
	if in.Key == "" {
		t, err = s.start(ctx, who, in, nil)
		return t, false, err
	}
	// It goes on though its client leaves: the key's next use gets the answer.
	kept, replayed, err := s.Once.Do(context.WithoutCancel(ctx), idempotency.Request{
		Person: who.User, Key: in.Key, Method: http.MethodPut, Path: fmt.Sprintf("%s self=%t", createTransaction, in.Self), Body: in.Payload, Wait: in.Wait,
	}, idempotency.Work{
		Send: func(ctx context.Context, attempt *idempotency.Attempt) (idempotency.Answer, error) {
			t, err = s.start(ctx, who, Start{Payload: attempt.Body(), Self: in.Self}, attempt)
			// Only the id is kept, so that nothing about a person outlives their
			// transaction's erasure.
			return idempotency.Answer{Body: []byte(t.ID)}, err
		},
		Find: func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
			return idempotency.Answer{}, false, fault.New(fault.RequestIdempotencyLost)
		},
	})
	if err == nil && replayed {
		t, err = s.Get(ctx, who, string(kept.Body))
	}
	return t, replayed, err
}

// Again starts a new transaction with the same person after one that failed: a person who
// started that one may, with key as in Start. back returns the address to which the person
// returns from the platform's page; self says whether it is the starter. A transaction that did not fail is
// verification.state; other errors are Start's.
func (s *Service) Again(ctx context.Context, who access.Actor, id string, back func(self bool) string, key string) (t Transaction, replayed bool, err error) {
	before, err := s.playable(ctx, who, id)
	if err != nil {
		return t, false, err
	}
	item, _, err := s.Index.Item(ctx, id)
	if err == nil && (before.Status != verification.Completed || item.Result != verification.Failed) {
		err = fault.New(fault.VerificationState)
	}
	if err != nil {
		return t, false, err
	}
	payload, err := before.Restart(s.Rules, back(before.Self))
	if err != nil {
		return t, false, err
	}
	return s.Start(ctx, who, Start{Payload: bytes.NewReader(payload), Self: before.Self, Key: key})
}

// start starts a transaction in one call that is never repeated.
func (s *Service) start(ctx context.Context, who access.Actor, in Start, attempt *idempotency.Attempt) (Transaction, error) {
	rules := s.Rules
	rules.Self = in.Self
	creation, err := verification.ReadCreation(in.Payload, rules)
	if err != nil {
		return Transaction{}, err
	}
	defer creation.Close()
	if err := s.Limiter.Take(ctx, ratelimit.Count{Name: "verification", Subject: who.User, Limit: s.Creations}); err != nil {
		return Transaction{}, err
	}
	sent := creation.Sent(s.Index.Seal(index.Starter{User: who.User, Own: creation.Own, Self: in.Self}))
	if attempt != nil {
		sent.Body = attempt.HoldLastBytes(io.NopCloser(sent.Body))
	}
	made, err := s.Platform.Create(ctx, sent)
	if attempt != nil {
		attempt.Responded(err)
	}
	if err != nil {
		return Transaction{}, err
	}
	who.LogFailure("tell the index of a verification", s.Index.Upsert(ctx, made.Value))
	s.done(ctx, who, createTransaction, made.ID, who.User)
	return Transaction{Transaction: made, MayPlay: true, MayErase: who.Operator || s.StartersErase, startedBy: who.User}, nil
}
