package identity

import (
	"context"
)

// User is a person as the platform knows them. What it does not tell is empty.
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

// User asks who user is: account.unknown where the platform does not know.
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
