package verify

import (
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/templates"
)

// current is the transaction as the platform has it now, which the index is told.
func (v Verifications) current(c *gin.Context, id string) (verification.Transaction, error) {
	t, err := v.Platform.Transaction(c.Request.Context(), id)
	if fault.Is(err, fault.RequestNotFound) {
		if gone := v.Access.Gone(c.Request.Context(), id); gone != nil {
			request.LogCause(c, gone)
		}
	}
	if err != nil {
		return t, err
	}
	return t, v.Access.Saw(c.Request.Context(), t.Value)
}

// tokenAge is how old the token of a transaction's start is trusted to get.
const tokenAge = 30 * time.Minute

// playAt is the platform's page of an active transaction: that of its first token, or of a
// new one where that may have expired.
func (v Verifications) playAt(c *gin.Context, t verification.Transaction) (string, error) {
	token, err := v.Platform.FirstToken(t)
	if err != nil {
		return "", err
	}
	if created, err := time.Parse(time.RFC3339, t.Created); err == nil && v.StepUp.Now().Sub(created) < tokenAge && token.AccessURL != "" {
		return token.AccessURL, nil
	}
	fresh, err := v.Platform.Token(c.Request.Context(), t.ID, token.Role)
	if err != nil {
		return "", err
	}
	if fresh.AccessURL != "" {
		return fresh.AccessURL, nil
	}
	return token.AccessURL, nil
}

func (v Verifications) cancel(c *gin.Context, id string) error {
	t, err := v.current(c, id)
	if err == nil {
		err = t.WhileActive()
	}
	if err == nil {
		t, err = v.Platform.Cancel(c.Request.Context(), id)
	}
	if err != nil {
		return err
	}
	return v.Access.Saw(c.Request.Context(), t.Value)
}

// makeTrail has the audit trail made.
func (v Verifications) makeTrail(c *gin.Context, id string) error {
	t, err := v.current(c, id)
	if err == nil {
		err = t.WhileActive()
	}
	if err != nil {
		return err
	}
	trail, err := v.Platform.GenerateAuditTrail(c.Request.Context(), id, false)
	if err != nil {
		return err
	}
	return v.Access.KeepTrail(c.Request.Context(), id, trail.URL)
}

// defaultGrace is how many days are left to take an erasure back, maxGrace how many there
// can be.
const (
	defaultGrace = 30
	maxGrace     = 36_500
)

// erase has the transaction erased after some days.
func (v Verifications) erase(c *gin.Context, id string, grant index.Grant) (templates.Notice, error) {
	if err := v.mayErase(c, grant); err != nil {
		return "", err
	}
	days := defaultGrace
	if text := strings.TrimSpace(c.PostForm("days")); text != "" {
		var err error
		if days, err = strconv.Atoi(text); err != nil || days < 0 || days > maxGrace {
			return "", request.Violation("/days", "field.grace-period")
		}
	}
	done, err := v.Platform.Mark(c.Request.Context(), verification.Erasure{Days: days, IDs: []string{id}})
	if err != nil {
		return "", err
	}
	if !done[id] {
		return "", fault.New(fault.VerificationState)
	}
	notice := templates.NoticeVerificationMarked
	if days == 0 {
		notice = templates.NoticeVerificationErased
	}
	return notice, v.Access.Marked(c.Request.Context(), id, v.StepUp.Now().AddDate(0, 0, days))
}

// takeBack has the transaction stay.
func (v Verifications) takeBack(c *gin.Context, id string, grant index.Grant) error {
	if err := v.mayErase(c, grant); err != nil {
		return err
	}
	done, err := v.Platform.Unmark(c.Request.Context(), []string{id})
	if err != nil {
		return err
	}
	if !done[id] {
		return fault.New(fault.VerificationState)
	}
	return v.Access.Marked(c.Request.Context(), id, time.Time{})
}

// mayErase asks for who may have it erased, and a recent sign-in.
func (v Verifications) mayErase(c *gin.Context, grant index.Grant) error {
	if !grant.MayErase(v.StartersErase) {
		return fault.New(fault.VerificationOperatorsOnly)
	}
	return v.StepUp.Require(c)
}

// mayStart reports whether person may start transactions.
func (v Verifications) mayStart(person access.Person) bool {
	return !v.OperatorsCreate || person.Operator
}
