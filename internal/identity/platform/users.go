package platform

import (
	"context"
	"strings"

	"countersign/internal/fault"
)

// User is a person at the platform (docs/platform.md I10). Members that the platform does
// not send are empty.
type User struct {
	// UserID and Domain are the parts of userID@domain.
	UserID       string `json:"userID"`
	Domain       string `json:"domain"`
	DisplayName  string `json:"displayName"`
	EmailAddress string `json:"emailAddress"`
	MobilePhone  string `json:"mobilePhone"`
	// Status is active, disabled, locked or passwordExpired in the sandbox; the
	// platform's own words are not public.
	Status string `json:"status"`
}

// User returns the platform's data of user: account.unknown if the platform does not know
// user.
func (c *Client) User(ctx context.Context, user string) (User, error) {
	var out User
	if err := c.call(ctx, getUser, exchange{values: ofUser(user), out: &out}); err != nil {
		return User{}, err
	}
	if out == (User{}) {
		return User{}, lacks(getUser, "userID", nil)
	}
	return out, nil
}

// The states of an account that can no longer be used; lostUnknown is an account that the
// platform does not know.
const (
	lostDisabled = "disabled"
	lostLocked   = "locked"
	lostUnknown  = "unknown"
)

// Standing is what the platform says about an account now.
type Standing struct {
	User
	// Lost is disabled, locked or unknown if the account can no longer be used; else "",
	// also for a status whose meaning is not known.
	Lost string
}

// Standing asks the platform about user, in one call that is never repeated. Only a 404
// that says so means that the account does not exist: any other one may come from whatever
// stands before the platform. The error says nothing about the account.
func (c *Client) Standing(ctx context.Context, user string) (Standing, error) {
	var out User
	err := c.call(ctx, getUser, exchange{values: ofUser(user), out: &out, once: true})
	if f := fault.From(err); err != nil && f.Key == fault.AccountUnknown && f.Specific == fault.AccountUnknown {
		return Standing{Lost: lostUnknown}, nil
	}
	if err == nil && out == (User{}) {
		err = lacks(getUser, "userID", nil)
	}
	if err != nil {
		return Standing{}, err
	}
	s := Standing{User: out}
	for _, status := range []string{lostDisabled, lostLocked} {
		if strings.EqualFold(out.Status, status) {
			s.Lost = status
		}
	}
	return s, nil
}
