package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// confides reports whether the state of user's account is no secret from whoever
// asks: they are its owner and signed in, or nothing is a secret here.
func (h SignIn) confides(c *gin.Context, user string) bool {
	return h.RevealAccountState || isOwn(c, user)
}

func isOwn(c *gin.Context, user string) bool {
	person, ok := request.Person(c)
	return ok && person.ID == user
}

// failure is err, a refused sign-in, as it is told. That the platform failed is
// no refusal to the account's owner, who is signed in and proves it once more.
func failure(c *gin.Context, user string, err error) error {
	if f := fault.From(err); isOwn(c, user) && f.Exact().Status >= http.StatusInternalServerError {
		return f.Under(fault.PlatformFailed)
	}
	return err
}

// reason is err, for which there is no authentication request, as it is told to
// whoever may know. Its owner has not tried to sign in yet, so nothing of theirs
// was refused.
func reason(c *gin.Context, err error) error {
	if isOwn(c, request.From(c).User) {
		return fault.From(err).Under(fault.PlatformRefused)
	}
	return err
}
