package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// Reminded returns the roles that a reminder goes to: those whose turn it is.
func Reminded(pkg signing.Package) (roles []signing.Role) {
	if pkg.Status != signing.StatusSent {
		return nil
	}
	for _, r := range pkg.Roles {
		if pkg.IsAsked(r) && pkg.Waits(r) && len(r.Signers) > 0 && pkg.Turn(r, pkg.Waits) {
			roles = append(roles, r)
		}
	}
	return roles
}

// Remind sends the invitation once more to everybody whose turn it is, in the way that
// they were invited; signing.state where it is nobody's. One press of the button does it once.
func (s *Service) Remind(ctx context.Context, who access.Actor, o Opened, press string) error {
	roles := Reminded(o.Full)
	if err := changeable(o, len(roles) > 0); err != nil {
		return err
	}
	return s.oncePressed(ctx, who, "remind "+o.ID, press, func(ctx context.Context) error { return s.remind(ctx, who, o, roles) })
}

// oncePressed does what a button that sends messages does. The same press of it, unless it is
// "", does it once: where another request of it is under way, that one does.
func (s *Service) oncePressed(ctx context.Context, who access.Actor, button, press string, do func(context.Context) error) error {
	if press == "" {
		return do(ctx)
	}
	sum := sha256.Sum256([]byte(button + " " + press))
	key := hex.EncodeToString(sum[:])
	_, _, err := s.Once.Do(ctx, idempotency.Request{
		Person: who.User, Key: key, Method: http.MethodPost, Path: "/packages", Body: strings.NewReader(key),
	}, idempotency.Work{
		Send: func(ctx context.Context, attempt *idempotency.Attempt) (idempotency.Answer, error) {
			if err := attempt.Commit(); err != nil {
				return idempotency.Answer{}, err
			}
			err := do(ctx)
			attempt.Responded(err)
			return answerOf(button), err
		},
		Find: func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
			return idempotency.Answer{}, false, nil // nothing tells whether a message was sent
		},
	})
	if fault.Is(err, fault.RequestIdempotencyBusy) {
		return nil
	}
	return err
}

func (s *Service) remind(ctx context.Context, who access.Actor, o Opened, roles []signing.Role) error {
	for _, r := range roles {
		methods := r.Signers[0].Notify.Primary
		if len(methods) == 0 {
			methods = []string{signing.NotifyByEmail}
		}
		for _, method := range slices.Compact(slices.Sorted(slices.Values(methods))) {
			if err := s.Platform.Remind(ctx, o.ID, r.ID, method == signing.NotifyBySMS); err != nil {
				return err
			}
		}
	}
	s.Done(ctx, who, Change{Operation: "notifyRole", Package: o.ID, Owner: o.Grant.Owner})
	return nil
}

// changeable returns signing.read-only for a signer, signing.state where the state does not
// allow what the owner asks for.
func changeable(o Opened, allowed bool) error {
	switch {
	case !o.MayChange():
		return fault.New(fault.SigningReadOnly)
	case !allowed:
		return fault.New(fault.SigningState)
	}
	return nil
}

// Cancel takes a package back from its signers, who are told the reason; request.invalid at
// /reason for none. One press of the button does it once.
func (s *Service) Cancel(ctx context.Context, who access.Actor, o Opened, reason, press string) error {
	if reason = safetext.Trim(reason); o.MayChange() && reason == "" {
		return fault.Invalid(fault.Field{Pointer: "/reason", Detail: "field.required"})
	}
	if err := changeable(o, true); err != nil {
		return err
	}
	return s.oncePressed(ctx, who, "cancel "+o.ID, press, func(ctx context.Context) error { return s.cancel(ctx, who, o, reason) })
}

func (s *Service) cancel(ctx context.Context, who access.Actor, o Opened, reason string) error {
	if err := changeable(o, o.Full.Status == signing.StatusSent); err != nil {
		return err
	}
	err := s.CancelAs(ctx, who, o.ID, func(ctx context.Context) error {
		return s.Platform.Decline(ctx, o.ID, o.Full.Sender.ID, reason)
	})
	if err != nil {
		return err
	}
	s.Done(ctx, who, Change{Operation: "declinePackage", Package: o.ID, Effect: Changed})
	return nil
}

// Copy makes a draft of the same content, and returns its id. The same once makes one copy
// alone: the error of another request under way is request.idempotency-busy.
func (s *Service) Copy(ctx context.Context, who access.Actor, o Opened, as Another) (string, error) {
	return s.makeOnce(ctx, who, o, as, copyAction{verb: "copy", make: func(ctx context.Context, copied signing.Copy) (string, error) {
		return s.Platform.Clone(ctx, o.ID, copied)
	}})
}

// History returns what happened to a package, the earliest first; signing.state for a
// signer before all have signed.
func (s *Service) History(ctx context.Context, o Opened) ([]signing.AuditEvent, error) {
	if o.Grant.Access == index.Signer && !signing.Finished(o.Full.Status) {
		return nil, fault.New(fault.SigningState)
	}
	return s.Platform.Audit(ctx, o.ID)
}

// clockSkew bounds how far the platform's clock may be behind ours.
const clockSkew = time.Hour

// FindMade looks for the package, made by an operation since then, that bears the mark of an
// idempotency key, and tells of it; ok is false where there is none.
func (s *Service) FindMade(ctx context.Context, who access.Actor, operation, mark string, since time.Time) (id string, ok bool, err error) {
	for _, kind := range []string{"", signing.TypeTemplate, signing.TypeLayout} {
		for value, err := range s.Platform.Lister(signing.Query{Type: kind, UpdatedFrom: since.Add(-clockSkew)}).Each(ctx) {
			if kind != "" && err != nil && fault.From(err).Row().Status < http.StatusInternalServerError {
				break // an account without that kind
			}
			if err != nil {
				return "", false, err
			}
			var made struct {
				ID   string `json:"id"`
				Data *struct {
					Countersign signing.CountersignData `json:"countersign"`
				} `json:"data"`
			}
			if json.Unmarshal(value, &made) != nil || made.Data == nil || made.Data.Countersign.Key != mark {
				continue
			}
			s.Done(ctx, who, Change{Operation: operation, Package: made.ID, Effect: Changed, Made: true})
			return made.ID, true, nil
		}
	}
	return "", false, nil
}
