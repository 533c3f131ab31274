package app

import (
	"context"
	"errors"

	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/web"
)

// ErrNoPerson, ErrReason and ErrOwnRedis are mistakes in a call of EndPerson: a user id that
// none can be, a reason that account.Reason refuses, and settings under which sessions are
// kept in the process of the node itself.
var (
	ErrNoPerson = errors.New("a user name looks like name@domain")
	ErrReason   = errors.New("--reason: not 1 to 500 characters on one line")
	ErrOwnRedis = errors.New("the settings name no Redis: the sessions are in the process of the node itself, and end with it")
)

// shell is the person in the audit trail who acts from the shell of a node.
const shell = "shell"

// EndPerson ends every session and kept form of user, on all nodes, without asking the
// platform, and writes that to the audit trail with the reason, which may be empty. It
// returns false if there was no session.
func EndPerson(ctx context.Context, o Options, user, reason string) (found bool, err error) {
	a := New(o)
	user, ok := a.users().Canonical(user)
	kept, good := account.Reason(reason)
	switch {
	case !ok:
		return false, ErrNoPerson
	case !good && reason != "":
		return false, ErrReason
	case a.config.EmbeddedRedis():
		return false, ErrOwnRedis
	}
	defer func() { err = errors.Join(err, a.closeAll(ctx)) }()
	metrics := web.NewMetrics(a.version)
	for _, open := range []func() error{
		func() error { return a.openRedis(metrics) }, a.openStores, func() error { return a.openTrail(metrics) },
	} {
		if err := open(); err != nil {
			return false, err
		}
	}
	a.tasks = append(a.tasks, start(ctx, a.trail.Run))
	sessions, err := a.sessions()
	if err != nil {
		return false, err
	}
	if found, err = a.ending(sessions).All(ctx, user); err != nil {
		return found, err
	}
	a.trail.Record(ctx, audit.Event{Kind: audit.OperatorEnded, Person: shell, OnBehalfOf: user, Reason: kept})
	return found, nil
}
