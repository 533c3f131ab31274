package identity

import (
	"context"
)

// User is a person at the platform. Members that the platform does not send are empty.
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
