package web

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
)

// signedIn lets only signed-in people on.
func signedIn(c *gin.Context) error {
	_, err := request.RequirePerson(c)
	return err
}

// anyUser resolves {user}, whoever it is: me is the signed-in person, and what
// is no user id is not found.
func anyUser(c *gin.Context) error {
	id := c.Param("user")
	if id == "me" {
		person, err := request.RequirePerson(c)
		if err != nil {
			return err
		}
		id = person.ID
	}
	if !identity.ValidUser(id) {
		return fault.New(fault.RequestNotFound)
	}
	request.From(c).User = id
	return nil
}

// ownUser resolves {user} and lets only that person on.
func ownUser(c *gin.Context) error {
	if id := c.Param("user"); id != "me" && !identity.ValidUser(id) {
		return fault.New(fault.RequestNotFound)
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	if id := c.Param("user"); id != "me" && id != person.ID {
		return fault.New(fault.SessionForbidden)
	}
	request.From(c).User = person.ID
	return nil
}
