package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// User is an account at the platform (docs/platform.md I10). Members that the platform
// does not send are empty.
type User struct {
	// UserID and Domain are the parts of userID@domain.
	UserID            string `json:"userID"`
	Domain            string `json:"domain"`
	DisplayName       string `json:"displayName"`
	EmailAddress      string `json:"emailAddress"`
	MobilePhoneNumber string `json:"mobilePhoneNumber"`
	// Enabled and Locked are in every answer that can be read.
	Enabled bool `json:"enabled"`
	Locked  bool `json:"locked"`
	// Expired is about the account, never about its password.
	Expired bool `json:"expired"`
}

// The states of an account, made from its flags. Unknown is an account that the platform
// does not know.
const (
	Active   = "active"
	Disabled = "disabled"
	Locked   = "locked"
	Expired  = "expired"
	Unknown  = "unknown"
)

// State returns Disabled, Locked or Expired, in this order, if the account cannot be used;
// else Active.
func (u User) State() string {
	switch {
	case !u.Enabled:
		return Disabled
	case u.Locked:
		return Locked
	case u.Expired:
		return Expired
	}
	return Active
}

// StateUnreadable reports whether err, of User or AccountStatus, says that the platform answered
// and did not say whether the account can be used: by a success that is too long, breaks off
// or has another form, or by a refusal. That is no verdict, and never a good one. An outage
// is no answer, and a 404 is about the account or about the way to it.
func StateUnreadable(err error) bool {
	if said, refused := errors.AsType[*upstream.Error](err); refused {
		return said.Status < http.StatusInternalServerError && !slices.Contains(noVerdicts, said.Status)
	}
	return upstream.IsUnreadable(err) || upstream.IsTruncated(err)
}

// noVerdicts are the statuses below 500 that say nothing of an account that exists: those of one
// that is not there, and of an outage.
var noVerdicts = []int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests}

// readUser is a User whose required flags may be missing.
type readUser struct {
	User
	Enabled *bool `json:"enabled"`
	Locked  *bool `json:"locked"`
}

// User returns the platform's data of user: account.unknown if the platform does not know
// user, platform.failed if it does not say whether the account can be used.
func (c *Client) User(ctx context.Context, user string) (User, error) {
	return c.user(ctx, exchange{values: ofUser(user)})
}

func (c *Client) user(ctx context.Context, x exchange) (User, error) {
	var out readUser
	x.out = &out
	if err := c.call(ctx, getUser, x); err != nil {
		return User{}, err
	}
	if out.Enabled == nil || out.Locked == nil {
		return User{}, upstream.Unreadable(fmt.Errorf("%s: the response lacks enabled or locked", getUser.Name))
	}
	out.User.Enabled, out.User.Locked = *out.Enabled, *out.Locked
	return out.User, nil
}

// AccountStatus is what the platform says about an account now.
type AccountStatus struct {
	User
	// Lost is Disabled, Locked, Expired or Unknown if the account cannot be used; else "".
	Lost string
}

// AccountStatus asks the platform about user, in one call that is never repeated. Only a 404
// that says so means that the account does not exist: any other one may come from whatever
// stands before the platform. The error says nothing about the account.
func (c *Client) AccountStatus(ctx context.Context, user string) (AccountStatus, error) {
	return c.standing(ctx, exchange{values: ofUser(user), once: true})
}

// AccountStatusAtSignIn is AccountStatus in a call that may be repeated.
func (c *Client) AccountStatusAtSignIn(ctx context.Context, user string) (AccountStatus, error) {
	return c.standing(ctx, exchange{values: ofUser(user)})
}

func (c *Client) standing(ctx context.Context, x exchange) (AccountStatus, error) {
	out, err := c.user(ctx, x)
	if f := fault.From(err); err != nil && f.Key == fault.AccountUnknown && f.Specific == fault.AccountUnknown {
		return AccountStatus{Lost: Unknown}, nil
	}
	if StateUnreadable(err) {
		err = fault.Wrap(fault.PlatformFailed, err)
	}
	if err != nil {
		return AccountStatus{}, err
	}
	s := AccountStatus{User: out}
	if state := out.State(); state != Active {
		s.Lost = state
	}
	return s, nil
}

// Unlock unlocks user's account: account.not-locked if it is not locked, account.unknown if the
// platform does not know user.
func (c *Client) Unlock(ctx context.Context, user string) error {
	return c.call(ctx, unlockUser, exchange{values: ofUser(user)})
}

type updateUserInput struct {
	Enabled bool `json:"enabled"`
}

// Enable enables user's account, also one that is enabled: account.unknown if the platform does
// not know user, platform.failed if it says that the account is disabled all the same.
func (c *Client) Enable(ctx context.Context, user string) error {
	var out readUser
	if err := c.call(ctx, updateUser, exchange{values: ofUser(user), body: updateUserInput{Enabled: true}, out: &out}); err != nil {
		return err
	}
	if out.Enabled == nil {
		return upstream.Unreadable(fmt.Errorf("%s: the response lacks enabled", updateUser.Name))
	}
	if !*out.Enabled {
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the account is disabled all the same", updateUser.Name))
	}
	return nil
}
