package web

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// unescape decodes the escapes in a path's values. gin itself would turn a plus into a
// space, as in a query.
func unescape(c *gin.Context) {
	if c.Request.URL.RawPath == "" {
		return // gin matched the unescaped path
	}
	for i, p := range c.Params {
		if value, err := url.PathUnescape(p.Value); err == nil {
			c.Params[i].Value = value
		}
	}
}

// signedIn refuses requests without a signed-in person.
func signedIn(c *gin.Context) error {
	_, err := request.RequirePerson(c)
	return err
}

// anyUser resolves {user} to any person: "me" is the signed-in person, and an invalid
// user id is answered as not found, with the reason. The account of a person who names
// themselves is checked.
func (e *edge) anyUser(c *gin.Context) (err error) {
	state := request.From(c)
	if state.User, err = e.userOf(c); err != nil {
		return err
	}
	if person, signedIn := request.Person(c); signedIn && person.ID == state.User {
		return e.account(c)
	}
	return nil
}

// ownUser resolves {user} and refuses everybody but that person.
func (e *edge) ownUser(c *gin.Context) error {
	id, err := e.userOf(c)
	if err != nil {
		return err
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	if id != person.ID {
		return fault.New(fault.SessionForbidden)
	}
	request.From(c).User = id
	return nil
}

func (e *edge) userOf(c *gin.Context) (string, error) {
	id := c.Param("user")
	if id == "me" {
		person, err := request.RequirePerson(c)
		return person.ID, err
	}
	canonical, ok := e.Users.Canonical(id)
	if !ok {
		field := fault.Field{Pointer: "/user", Detail: request.Misspelled(id)}
		return "", &fault.Error{Key: fault.RequestNotFound, Fields: []fault.Field{field}}
	}
	return canonical, nil
}
