package signingproxy

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/ratelimit"
	"countersign/internal/reqctx"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

// createTransaction starts a transaction, with who starts it sealed in its opaque_id.
// It is never repeated.
func (p *Proxy) createTransaction(c *call) error {
	v, r := p.Verification, c.gin.Request
	if r.ContentLength > verification.MaxCreation {
		return fault.New(fault.RequestTooLarge)
	}
	if err := requireJSON(r); err != nil {
		return err
	}
	rules := v.Rules
	var err error
	if rules.Self, err = c.ofThemselves(); err != nil {
		return err
	}
	creation, err := verification.ReadCreation(http.MaxBytesReader(c.gin.Writer, r.Body, verification.MaxCreation), rules)
	if err != nil {
		return err
	}
	defer creation.Close()
	if err := v.Limiter.Take(c.ctx(), ratelimit.Count{Name: "verification", Subject: c.person.User, Limit: v.Creations}); err != nil {
		return err
	}
	sent := creation.Sent(v.Transactions.Seal(index.Started{User: c.person.User, Own: creation.Own, Self: rules.Self}))
	if c.attempt != nil {
		sent.Body = c.attempt.Withhold(io.NopCloser(sent.Body))
	}
	t, err := v.Client.Create(c.ctx(), sent)
	c.noteResponse(err)
	if err != nil {
		return err
	}
	c.created, c.changes = t.ID, []changed{{t.ID, c.person.User}}
	p.saw(c, t)
	return p.answerTransaction(c, t)
}

// ofThemselves reads ?for=self: the person verifies themselves.
func (c *call) ofThemselves() (bool, error) {
	asked := c.gin.Request.URL.Query()["for"]
	if slices.ContainsFunc(asked, func(who string) bool { return who != "self" }) {
		return false, request.Violation("/for", "field.choice")
	}
	return len(asked) > 0, nil
}

// mark and unmark are what is said of transactions for erasure.
func (p *Proxy) markForErasure(c *call) error {
	return p.erase(c, erasure{
		marking: true, member: "marking_event", accepted: verification.EraseAccepted, unknown: verification.EraseUnknown, done: "erasure.marked",
	})
}

func (p *Proxy) unmarkForErasure(c *call) error {
	return p.erase(c, erasure{
		member: "unmarking_event", accepted: verification.RecoveryAccepted, unknown: verification.RecoveryUnknown, done: "erasure.unmarked",
	})
}

// erasure is one of the two operations.
type erasure struct {
	marking                   bool
	member, accepted, unknown string
	done                      string // the message of an item
}

// erase has the platform mark or unmark those of the transactions that are the
// person's, each judged by itself.
func (p *Proxy) erase(c *call, how erasure) error {
	r := c.gin.Request
	if err := requireJSON(r); err != nil {
		return err
	}
	wanted, err := verification.ReadErasure(http.MaxBytesReader(c.gin.Writer, r.Body, maxPayload), how.marking)
	if err != nil {
		return err
	}
	if how.marking && wanted.Days == 0 {
		how.done = "page.notice.verification-erased"
	}
	own, err := p.ownOf(c, wanted.IDs)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	c.changes = nil
	if len(own) > 0 {
		if done, err = p.sendErasure(c, wanted.Days, own, how); err != nil {
			return err
		}
	}
	return p.answerErasure(c, wanted.IDs, done, how)
}

// ownOf are those of ids that the person may have erased.
func (p *Proxy) ownOf(c *call, ids []string) (own []changed, err error) {
	for _, id := range ids {
		g, err := p.Verification.Transactions.Grant(c.ctx(), c.person, c.sessionID(), id)
		switch {
		case fault.Is(err, fault.RequestNotFound):
		case err != nil:
			return nil, err
		case g.MayErase(p.Verification.StartersErase):
			own = append(own, changed{id, g.StartedBy})
		}
	}
	return own, nil
}

// sendErasure has the platform do it, and tells the index for which it did.
func (p *Proxy) sendErasure(c *call, days int, own []changed, how erasure) (done map[string]bool, err error) {
	v, at, e := p.Verification, time.Time{}, verification.Erasure{Days: days}
	for _, one := range own {
		e.IDs = append(e.IDs, one.id)
	}
	if how.marking {
		at = v.Now().AddDate(0, 0, e.Days)
		done, err = v.Client.Mark(c.ctx(), e)
	} else {
		done, err = v.Client.Unmark(c.ctx(), e.IDs)
	}
	if err != nil {
		return nil, err
	}
	for _, one := range own {
		if !done[one.id] {
			continue
		}
		c.changes = append(c.changes, one)
		if err := v.Transactions.Marked(c.ctx(), one.id, at); err != nil {
			request.LogCause(c.gin, err)
		}
	}
	return done, nil
}

// answerErasure answers for each transaction in the order of the request.
func (p *Proxy) answerErasure(c *call, ids []string, done map[string]bool, how erasure) error {
	say := p.Verification.Bundle.For(reqctx.From(c.ctx()).Language)
	items, message := make([]map[string]string, len(ids)), say.T("erasure.done")
	for i, id := range ids {
		items[i] = map[string]string{"transaction_id": id, how.member: how.accepted, "message": say.T(how.done)}
		if !done[id] {
			items[i][how.member], items[i]["message"], message = how.unknown, say.T("erasure.not-found"), say.T("erasure.part")
		}
	}
	return answer(c, http.StatusOK, map[string]any{"message": message, "transactions": items})
}

// listTransactions lists the transactions that the person started, for an operator
// those of the index.
func (p *Proxy) listTransactions(c *call) error {
	q, err := transactionQuery(c.query)
	if err != nil {
		return err
	}
	page, err := p.Verification.Transactions.List(c.ctx(), c.person, q)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, page)
}

const (
	defaultTransactions = 50
	maxTransactions     = 100
)

// transactionQuery reads the query of the own list.
func transactionQuery(raw string) (index.Query, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return index.Query{}, fault.Wrap(fault.RequestMalformed, err)
	}
	q := index.Query{Status: query.Get("status"), From: 1}
	var fields []fault.Field
	if q.Status != "" && !verification.Status(q.Status).Known() {
		fields = append(fields, fault.Field{Pointer: "/status", Detail: "field.choice"})
	}
	bounds := map[string]int{"from": 1, "to": 0}
	for _, name := range []string{"from", "to"} {
		text := strings.TrimSpace(query.Get(name))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil && !errors.Is(err, strconv.ErrRange) || n < 1 {
			fields = append(fields, fault.Field{Pointer: "/" + name, Detail: "field.whole-number"})
		}
		bounds[name] = n
	}
	if len(fields) > 0 {
		return q, fault.Invalid(fields...)
	}
	q.From, q.To = bounds["from"], bounds["to"]
	switch last := q.From + maxTransactions - 1; {
	case q.To == 0:
		q.To = q.From + defaultTransactions - 1
	case q.To < q.From || q.To > last:
		q.To = last
	}
	return q, nil
}
