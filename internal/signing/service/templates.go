package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/signing"
	"countersign/internal/signing/proofs"
)

// Another describes a copy of a package: its name and the message to everybody. A request that
// is sent twice has the same Once and makes one copy; "" makes another one each time.
type Another struct{ Name, Message, Once string }

// SaveTemplate makes a template of a package, the actor's own, and returns its id. It has
// the documents, the fields and the roles, but no names and addresses. Its errors are
// Copy's.
func (s *Service) SaveTemplate(ctx context.Context, who access.Actor, o Opened, as Another) (string, error) {
	return s.makeOnce(ctx, who, o, as, copyAction{
		verb: "template",
		make: func(ctx context.Context, copied signing.Copy) (string, error) {
			copied.Data = nil // it may name people
			return s.Platform.Template(ctx, o.ID, copied)
		},
		finish: s.Platform.RemoveNames,
	})
}

// Use makes a draft of a template, whose recipients are to be filled in, and returns its id.
// Its errors are Copy's, and signing.state for a package that is no template.
func (s *Service) Use(ctx context.Context, who access.Actor, o Opened, as Another) (string, error) {
	if err := changeable(o, o.Full.IsTemplate()); err != nil {
		return "", err
	}
	return s.makeOnce(ctx, who, o, as, copyAction{verb: "use", make: func(ctx context.Context, copied signing.Copy) (string, error) {
		copied.Type = signing.TypePackage
		return s.Platform.Clone(ctx, o.ID, copied)
	}})
}

// copyOf says what becomes of a copy; it asks for the proofs that the original asks for.
func (s *Service) copyOf(who access.Actor, o Opened, as Another) (signing.Copy, error) {
	asked, err := proofs.CopyRequirements(o.Full.Countersign.Proofs)
	if err != nil {
		return signing.Copy{}, fault.Wrap(fault.PlatformFailed, err)
	}
	return signing.Copy{
		Name: as.Name, Message: &as.Message, Countersign: signing.CountersignData{Owner: who.User, OwnerName: who.Name, Proofs: asked}, Data: o.Full.Data,
		Rules: signing.Context{Production: s.Production, Operator: who.Operator, Limits: s.Limits},
	}, nil
}

// Delete deletes a draft or a template for good; signing.state for a package that was sent.
// It holds the draft's lease, so that a draft which is being sent is not deleted.
func (s *Service) Delete(ctx context.Context, who access.Actor, id string) error {
	if _, err := s.GrantToChange(ctx, who, id); err != nil {
		return err
	}
	return s.WithPackageLock(ctx, id, func(ctx context.Context) error {
		o, err := s.Open(ctx, who, id)
		if err == nil {
			err = changeable(o, o.Full.Status == signing.StatusDraft)
		}
		if err == nil {
			err = s.Platform.Delete(ctx, id)
		}
		if err == nil {
			s.Done(ctx, who, Change{Operation: "deletePackage", Package: id, Effect: Deleted, Owner: o.Grant.Owner})
		}
		return err
	})
}

const clonePackage = "clonePackage"

// copyAction makes something from a package. Its verb names the action; finish, if not nil,
// completes what a call made whose answer got lost.
type copyAction struct {
	verb   string
	make   func(ctx context.Context, copied signing.Copy) (id string, err error)
	finish func(ctx context.Context, id string) error
}

// makeOnce makes something from a package that people with permission to change it and to create packages may
// make. The same as.Once makes it once, also after the platform's answer got lost: the error of
// another request under way is request.idempotency-busy; "" makes it each time.
func (s *Service) makeOnce(ctx context.Context, who access.Actor, o Opened, as Another, how copyAction) (string, error) {
	if err := changeable(o, true); err != nil {
		return "", err
	}
	if err := s.Creator(who); err != nil {
		return "", err
	}
	copied, err := s.copyOf(who, o, as)
	if err != nil {
		return "", err
	}
	if as.Once == "" {
		id, err := how.make(ctx, copied)
		return id, s.made(ctx, who, id, err)
	}
	key := how.verb + " " + o.ID + " " + as.Once
	sum := sha256.Sum256([]byte(key))
	answer, _, err := s.Once.Do(ctx, idempotency.Request{
		Person: who.User, Key: hex.EncodeToString(sum[:]), Method: http.MethodPost, Path: "/packages/" + o.ID, Body: strings.NewReader(key),
	}, idempotency.Work{
		Send: func(ctx context.Context, attempt *idempotency.Attempt) (idempotency.Answer, error) {
			if err := attempt.Commit(); err != nil {
				return idempotency.Answer{}, err
			}
			copied.Countersign.Key = attempt.Token()
			id, err := how.make(ctx, copied)
			attempt.Responded(err)
			return answerOf(id), s.made(ctx, who, id, err)
		},
		Find: func(ctx context.Context, mark string, since time.Time) (idempotency.Answer, bool, error) {
			id, found, err := s.FindMade(ctx, who, clonePackage, mark, since)
			if found && how.finish != nil {
				err = how.finish(ctx, id)
				s.Refresh(ctx, who, id)
			}
			return answerOf(id), found, err
		},
	})
	return string(answer.Body), err
}

// made tells of what was made, unless err says that nothing was, and returns err.
func (s *Service) made(ctx context.Context, who access.Actor, id string, err error) error {
	if err == nil {
		s.Done(ctx, who, Change{Operation: clonePackage, Package: id, Effect: Changed, Made: true})
	}
	return err
}

func answerOf(id string) idempotency.Answer {
	return idempotency.Answer{Status: http.StatusOK, Body: []byte(id)}
}
