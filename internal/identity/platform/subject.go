package platform

import (
	"errors"
	"strings"

	"countersign/internal/payload"
)

// errOther rejects an answer about another user than was asked for.
var errOther = errors.New("the response is about another user")

// ofUserAlone returns the judge of answers to a call: one that names another user than the path
// may be the answer to another request. No user in the path, or in the answer, is none.
func (c *Client) ofUserAlone(user string) func(body []byte) error {
	if user == "" {
		return nil
	}
	return func(body []byte) error {
		var named struct {
			UserID string `json:"userID"`
			Domain string `json:"domain"`
		}
		err := payload.Unmarshal(body, &named)
		if err == nil && named.UserID != "" && !c.mayName(user, named.UserID, named.Domain) {
			return errOther
		}
		return nil // what cannot be read is an error where the answer is used
	}
}

// mayName is isUser in any case of letters: a platform that tells names apart by case may answer
// with another spelling than it was asked for.
func (c *Client) mayName(user, id, domain string) bool {
	return c.isUser(strings.ToLower(user), strings.ToLower(id), strings.ToLower(domain))
}

// isUser reports whether an id, which may have the domain in it, and a domain name the user;
// either may be empty.
func (c *Client) isUser(user, id, domain string) bool {
	name, at, _ := strings.Cut(user, "@")
	saidName, saidDomain, _ := strings.Cut(id, "@")
	return (saidName == "" || c.same(saidName, name)) &&
		(saidDomain == "" || c.same(saidDomain, at)) && (domain == "" || c.same(domain, at))
}

// same compares texts as the platform compares names.
func (c *Client) same(a, b string) bool {
	return a == b || !c.exactCase && strings.EqualFold(a, b)
}
