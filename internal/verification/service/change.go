package service

import (
	"context"
	"errors"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/verification"
)

// The platform's names of operations, for audit events.
const (
	createTransaction  = "createTransaction"
	cancelTransaction  = "cancelTransaction"
	createSessionToken = "createSessionToken"
	generateAuditTrail = "generateAuditTrail"
	markForErasure     = "markForErasure"
	unmarkForErasure   = "unmarkForErasure"
)

// Cancel ends an active transaction and returns it.
func (s *Service) Cancel(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	t, err := s.active(ctx, who, id)
	if err != nil {
		return t, err
	}
	if t.Transaction, err = s.Platform.Cancel(ctx, id); err != nil {
		return t, err
	}
	who.LogFailure("tell the index of a verification", s.Index.Upsert(ctx, t.Value))
	s.done(ctx, who, cancelTransaction, id, t.startedBy)
	return t, nil
}

// Token makes a token for a role of an active transaction that the actor started.
// Everybody else gets request.not-found. A role that the transaction does not have is
// request.invalid at /role.
func (s *Service) Token(ctx context.Context, who access.Actor, id, role string) (verification.Token, error) {
	t, err := whileActive(s.playable(ctx, who, id))
	if err != nil {
		return verification.Token{}, err
	}
	if !t.HasRole(role) {
		return verification.Token{}, fault.Invalid(fault.Field{Pointer: "/role", Detail: "field.transaction-role"})
	}
	return s.token(ctx, who, t, role)
}

// playable is Get for the starter only. Everybody else gets request.not-found.
func (s *Service) playable(ctx context.Context, who access.Actor, id string) (Transaction, error) {
	t, err := s.granted(ctx, who, id)
	if err == nil && !t.MayPlay {
		err = fault.New(fault.RequestNotFound)
	}
	if err != nil {
		return t, err
	}
	return s.read(ctx, who, id, t)
}

func (s *Service) token(ctx context.Context, who access.Actor, t Transaction, role string) (verification.Token, error) {
	token, err := s.Platform.Token(ctx, t.ID, role)
	if err != nil {
		return token, err
	}
	s.done(ctx, who, createSessionToken, t.ID, t.startedBy)
	if token.AccessURL == "" {
		if first, err := s.Platform.FirstToken(t.Transaction); err == nil {
			token.AccessURL = first.AddressWith(token.Token)
		}
	}
	return token, nil
}

// tokenAge limits how long the first token of a transaction is used. The platform's
// tokens live for an hour.
const tokenAge = 30 * time.Minute

// Continue returns the address of the platform's page on which the actor, who must be the
// starter, goes on with the transaction: the page of its first token, or of a new one if
// the first may have expired. Once the transaction is over, the address is "". The error is
// platform.failed if nobody tells the page of a token that still counts.
func (s *Service) Continue(ctx context.Context, who access.Actor, id string) (string, error) {
	t, err := s.playable(ctx, who, id)
	if err != nil || !t.Status.Active() {
		return "", err
	}
	token, err := s.Platform.FirstToken(t.Transaction)
	if err != nil {
		return "", err
	}
	created, err := time.Parse(time.RFC3339, t.Created)
	age := s.Now().Sub(created)
	if err == nil && age < tokenAge && token.AccessURL != "" {
		return token.AccessURL, nil
	}
	fresh, failed := s.token(ctx, who, t, token.Role)
	switch {
	case failed != nil:
		return "", failed
	case fresh.AccessURL != "":
		return fresh.AccessURL, nil
	case err != nil || age >= s.LinkLifetime || token.AccessURL == "":
		return "", errNoPage()
	}
	return token.AccessURL, nil
}

// Link is a link to pass on: the platform's page of a transaction, on which a person who has
// the link acts as the person.
type Link struct {
	URL string
	// Until is the time until which it counts.
	Until time.Time
}

// Link makes a link to pass on for the role that plays, with a new token of an active
// transaction that the actor started. Everybody else gets request.not-found. The error is
// platform.failed if neither the platform nor the settings tell the token's page.
func (s *Service) Link(ctx context.Context, who access.Actor, id string) (Link, error) {
	t, err := whileActive(s.playable(ctx, who, id))
	if err != nil {
		return Link{}, err
	}
	first, err := s.Platform.FirstToken(t.Transaction)
	if err != nil {
		return Link{}, err
	}
	role := first.Role
	if t.HasRole(s.Rules.Role) {
		role = s.Rules.Role
	}
	made := s.Now()
	token, err := s.token(ctx, who, t, role)
	if err == nil && token.AccessURL == "" {
		err = errNoPage()
	}
	return Link{URL: token.AccessURL, Until: made.Add(s.LinkLifetime)}, err
}

// errNoPage returns the error for a token whose page is not known.
func errNoPage() error {
	return fault.Wrap(fault.PlatformFailed, errors.New("service: the platform names no page of a token, and neither do the settings"))
}

// GenerateTrail makes the platform start the audit trail of an active transaction, and
// returns the platform's status of it; force makes a new one if there is one already. It
// keeps the link for Trail, and fails if it cannot keep it.
func (s *Service) GenerateTrail(ctx context.Context, who access.Actor, id string, force bool) (status string, err error) {
	t, err := s.active(ctx, who, id)
	if err != nil {
		return "", err
	}
	trail, err := s.Platform.GenerateAuditTrail(ctx, id, force)
	if err != nil {
		return "", err
	}
	kept := s.Index.KeepTrail(context.WithoutCancel(ctx), id, trail.URL)
	s.done(ctx, who, generateAuditTrail, id, t.startedBy)
	return trail.Status, kept
}
