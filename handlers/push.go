package handlers

import (
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/request"
)

// pushOnly reports whether the attempt was a push alone, which an account that
// cannot sign in is seen to wait for as well.
func (a attempt) pushOnly() bool { return a.method == methodPush }

// likenessOfPush is what the platform's last real answer to a push like this one
// looked like, and the name it is remembered under; both are empty for an attempt
// that is no push. It is asked for before anybody knows whether it will be needed,
// so that it takes no time that would tell.
func (h SignIn) likenessOfPush(c *gin.Context, a attempt) (name, shape string, err error) {
	if !a.pushOnly() {
		return "", "", nil
	}
	deliveries := slices.Compact(slices.Sorted(slices.Values(a.input.OrchestrationDelivery)))
	name = "push:" + strings.Join(deliveries, "+")
	shape, found, err := h.Sessions.RecallShape(c.Request.Context(), name)
	if err == nil && !found {
		shape = ceremony.FirstPushShape
	}
	return name, shape, err
}

// learnPush remembers what a real answer looks like, for the decoys to come.
func (h SignIn) learnPush(c *gin.Context, name, known string, answer map[string]any) error {
	shape, err := ceremony.PushShape(answer)
	if name == "" || err != nil || shape == known {
		return nil //nolint:nilerr // what teaches nothing is no reason to refuse a sign-in
	}
	return h.Sessions.RememberShape(c.Request.Context(), name, shape)
}

// decoyPush is a sign-in that will wait for nobody. Why is for the log alone.
func (h SignIn) decoyPush(c *gin.Context, a attempt, shape string, reason error) (outcome, error) {
	request.LogCause(c, reason)
	answer, requestID := ceremony.PushDecoy(shape)
	return h.wait(c, a, requestID, true, answer)
}
