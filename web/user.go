package web

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// unescape undoes the escapes of a path's values. gin's own way takes a plus for
// a space, as in a query.
func unescape(c *gin.Context) {
	if c.Request.URL.RawPath == "" {
		return // gin matched the path without its escapes
	}
	for i, p := range c.Params {
		if value, err := url.PathUnescape(p.Value); err == nil {
			c.Params[i].Value = value
		}
	}
}

// signedIn lets only signed-in people on.
func signedIn(c *gin.Context) error {
	_, err := request.RequirePerson(c)
	return err
}

// anyUser resolves {user}, whoever it is: me is the signed-in person, and what
// is no user id is not found, with what is wrong with it.
func (e *edge) anyUser(c *gin.Context) (err error) {
	request.From(c).User, err = e.userOf(c)
	return err
}

// ownUser resolves {user} and lets only that person on.
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
