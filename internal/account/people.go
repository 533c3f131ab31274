package account

import (
	"context"
	"strings"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/upstream"
	"countersign/session"
)

// People holds what operators do about other people's accounts. For everybody else there is
// nothing: the error is request.not-found. User ids are canonical: the caller folds them.
// All fields are required.
type People struct {
	Identity *platform.Client
	Passkeys *Passkeys
	Ending   Ending
	// Exclusive runs work while no other removal runs for person on any node; false if
	// another one has not ended in time.
	Exclusive func(ctx context.Context, person string, work func(context.Context) error) (bool, error)
	// Events returns the last events of a person's account, the newest first.
	Events func(ctx context.Context, person string) ([]audit.Event, error)
}

// Person is the account of one person.
type Person struct {
	ID string
	// User and Authenticators are the platform's.
	User platform.User
	// Status is the state of the account; "" if the platform does not tell it.
	Status         string
	Authenticators []platform.Authenticator
	Sessions       []session.SessionInfo
	Events         []audit.Event
}

// Operators returns request.not-found for everybody else.
func (p People) Operators(who access.Actor) error {
	if !who.Operator {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// Find returns the account of user: request.not-found if the platform does not know them.
// Unless the error is that, the sessions and events come with it, if they can be read: they
// are shown while the platform is away.
func (p People) Find(ctx context.Context, who access.Actor, user string) (one Person, err error) {
	if err := p.Operators(who); err != nil {
		return one, err
	}
	one.ID = user
	one.User, err = p.Identity.User(ctx, user)
	if fault.Is(err, fault.AccountUnknown) {
		return Person{}, fault.Wrap(fault.RequestNotFound, err)
	}
	if err == nil {
		one.Status = one.User.State()
		one.Authenticators, err = p.Identity.Authenticators(ctx, user)
		who.LogFailure("tell the kinds of passkeys", p.Passkeys.FillIn(ctx, user, one.Authenticators))
	}
	var unread error
	if one.Sessions, unread = p.Ending.Sessions.List(ctx, user); unread != nil {
		return one, unread
	}
	if one.Events, unread = p.Events(ctx, user); unread != nil {
		return one, unread
	}
	who.Reads("getPerson", "", user)
	return one, err
}

// EndAll ends every session of user, and their kept forms. The platform is not asked.
func (p People) EndAll(ctx context.Context, who access.Actor, user, reason string) error {
	reason, err := p.reason(who, reason)
	if err != nil {
		return err
	}
	if _, err = p.Ending.All(ctx, user); err == nil {
		who.Record(audit.Event{Kind: audit.OperatorEnded, OnBehalfOf: user, Reason: reason})
	}
	return err
}

// End ends the session id of user: session.unknown if they have no such session. The
// platform is not asked.
func (p People) End(ctx context.Context, who access.Actor, user, id, reason string) error {
	reason, err := p.reason(who, reason)
	if err != nil {
		return err
	}
	found, err := p.Ending.Sessions.End(ctx, user, id)
	if err == nil && !found {
		err = fault.New(fault.SessionUnknown)
	}
	if err == nil {
		who.Record(audit.Event{Kind: audit.OperatorEnded, OnBehalfOf: user, Subject: id, Reason: reason})
	}
	return err
}

// Remove removes the authenticator id of user. It needs a fresh sign-in of the operator.
// The error is authenticator.last for the only one, unless that is confirmed.
func (p People) Remove(ctx context.Context, who access.Actor, user, id, reason string, confirmed bool) error {
	reason, err := p.reason(who, reason)
	if err == nil {
		err = who.StepUp()
	}
	if err != nil {
		return err
	}
	asked := false
	held, err := p.Exclusive(ctx, user, func(ctx context.Context) error {
		list, err := p.Identity.Authenticators(ctx, user)
		switch {
		case fault.Is(err, fault.AccountUnknown):
			return fault.Wrap(fault.RequestNotFound, err)
		case err != nil:
			return err
		}
		one, err := platform.Find(list, id)
		switch {
		case err != nil:
			return err
		case !confirmed && len(list) == 1:
			last := fault.New(fault.AuthenticatorLast)
			last.Specific = fault.AuthenticatorTheirs
			return last
		}
		_, err = p.Identity.RemoveAuthenticator(context.WithoutCancel(ctx), one)
		asked = true
		if err == nil {
			_, _, forgotten := p.Passkeys.ForgetMade(context.WithoutCancel(ctx), user, id)
			who.LogFailure("forget the kind of a passkey", forgotten)
		}
		return err
	})
	if err == nil && !held {
		err = fault.New(fault.RequestRate)
	}
	if err == nil || asked && isUnclear(err) {
		who.Record(audit.Event{Kind: audit.OperatorRemoved, OnBehalfOf: user, Subject: id, Reason: reason, Unclear: err != nil})
	}
	return err
}

// isUnclear reports whether err leaves open if the platform has done what it was asked for.
func isUnclear(err error) bool {
	return !upstream.IsUntried(err) && (fault.Is(err, fault.PlatformUnavailable) || fault.Is(err, fault.PlatformFailed))
}

// Search returns a page of the accounts that s selects.
func (p People) Search(ctx context.Context, who access.Actor, s platform.Search) (platform.Found, error) {
	if err := p.Operators(who); err != nil {
		return platform.Found{}, err
	}
	found, err := p.Identity.FindUsers(ctx, s)
	if err == nil {
		who.Reads("queryUsers", "", "")
	}
	return found, err
}

// Unlock unlocks the account of user: account.not-locked if it is not locked. It needs a fresh
// sign-in of the operator.
func (p People) Unlock(ctx context.Context, who access.Actor, user, reason string) error {
	return p.help(ctx, who, user, reason, audit.OperatorUnlocked, p.Identity.Unlock)
}

// Enable enables the account of user, also one that is enabled. It needs a fresh sign-in of the
// operator.
func (p People) Enable(ctx context.Context, who access.Actor, user, reason string) error {
	return p.help(ctx, who, user, reason, audit.OperatorEnabled, p.Identity.Enable)
}

// help has the platform change the account of user, and records that as kind, even if the
// operator has hung up or the platform does not say whether it was done.
func (p People) help(ctx context.Context, who access.Actor, user, reason string, kind audit.Kind, change func(context.Context, string) error) error {
	reason, err := p.reason(who, reason)
	if err == nil {
		err = who.StepUp()
	}
	if err != nil {
		return err
	}
	err = change(context.WithoutCancel(ctx), user)
	if fault.Is(err, fault.AccountUnknown) {
		return fault.Wrap(fault.RequestNotFound, err)
	}
	if err == nil || isUnclear(err) {
		who.Record(audit.Event{Kind: kind, OnBehalfOf: user, Reason: reason, Unclear: err != nil})
	}
	return err
}

// reason returns the operator's reason as Reason does.
func (p People) reason(who access.Actor, text string) (string, error) {
	if err := p.Operators(who); err != nil {
		return "", err
	}
	reason, ok := Reason(text)
	if !ok {
		detail := "field.reason"
		if strings.TrimSpace(text) == "" {
			detail = "field.reason-missing"
		}
		return "", fault.Invalid(fault.Field{Pointer: "/reason", Detail: detail})
	}
	return reason, nil
}
