package signingproxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/idempotency"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/internal/upstream"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

// Verification is what a Proxy needs to front identity verification.
type Verification struct {
	Upstream     *upstream.Client
	Client       *verification.Client
	Transactions *index.Index
	Idempotency  *idempotency.Store
	Rules        verification.Rules
	// Limiter and Creations limit how many transactions a person has the platform
	// create.
	Limiter   *ratelimit.Limiter
	Creations ratelimit.Limit
	// OperatorsCreate says that operators alone start transactions, StartersErase that
	// who started one may have it erased.
	OperatorsCreate, StartersErase bool
	StepUp                         request.StepUp
	// PublicOrigin begins our addresses in answers.
	PublicOrigin string
	Bundle       *i18n.Bundle
	Now          func() time.Time
}

func (v *Verification) api() *api {
	return &api{
		upstream: v.Upstream, translate: verification.Translate, id: transactionID,
		keys: v.Idempotency, maxBody: verification.MaxCreation, find: findNothing, keep: keepID, repeat: (*Proxy).repeatCreation,
		audited: audit.VerificationChanged,
	}
}

// keepID has the id alone of what was made be kept, so that nothing of a person outlives
// its erasure.
func keepID(c *call, _ idempotency.Answer, err error) (idempotency.Answer, error) {
	if c.created == "" {
		return idempotency.Answer{}, err
	}
	return idempotency.Answer{Body: []byte(c.created)}, nil
}

// repeatCreation answers a repeat with what the transaction is now, if it is still there.
func (p *Proxy) repeatCreation(c *call, kept idempotency.Answer) error {
	c.values = map[string]string{"transaction": string(kept.Body)}
	if err := participants(p, c); err != nil {
		return err
	}
	t, err := p.current(c)
	if err != nil {
		return err
	}
	return p.answerTransaction(c, t, "verifications")
}

// findNothing is that nothing can be looked for: what a creation made whose answer got
// lost is not to be found at the platform.
func findNothing(*Proxy, context.Context, *call, string, time.Time) (idempotency.Answer, bool, error) {
	return idempotency.Answer{}, false, fault.New(fault.RequestIdempotencyLost)
}

// The families of paths, each of which has every operation, and what stands below one
// transaction.
var families = []string{"/api/transaction", "/api/transactions"}

const (
	oneTransaction = "/{transaction}"
	images         = oneTransaction + "/verifications/{verification}/verification-images"
)

// verificationRule is a rule and the paths below both families.
type verificationRule struct {
	rule
	below []string
}

func at(paths ...string) []string { return paths }

// verificationRules says for every operation of verification who may use it and how, by its name.
var verificationRules = map[string]verificationRule{
	"createTransaction":          {rule{may: transactionCreators, once: true, serve: (*Proxy).createTransaction, alsoBy: []string{http.MethodPost}}, at("")},
	"listTransactions":           {rule{may: everybody, serve: (*Proxy).listTransactions}, at("")},
	"getTransaction":             {rule{may: participants, serve: (*Proxy).getTransaction}, at(oneTransaction)},
	"getTransactionVerification": {rule{may: participants, serve: (*Proxy).getResults}, at(oneTransaction + "/verification")},
	"getEvidence":                {rule{may: participants, serve: (*Proxy).getEvidence, isFile: true}, at(oneTransaction+"/evidence", oneTransaction+"/document/AuditTrailDocument/pdf")},
	"getDocument":                {rule{may: participants, serve: (*Proxy).getTransactionDocument, isFile: true, extension: ".pdf"}, at(oneTransaction + "/document/{document}/pdf")},
	"cancelTransaction":          {rule{may: participants, serve: (*Proxy).cancelTransaction}, at(oneTransaction + "/event")},
	"markForErasure":             {rule{may: erasers, serve: (*Proxy).markForErasure}, at("/mark-for-erasure")},
	"unmarkForErasure":           {rule{may: erasers, serve: (*Proxy).unmarkForErasure}, at("/unmark-for-erasure")},
	"createSessionToken":         {rule{may: starters, serve: (*Proxy).createSessionToken}, at(oneTransaction + "/token")},
	"generateAuditTrail":         {rule{may: participants, serve: (*Proxy).generateAuditTrail}, at(oneTransaction + "/generate-audit-trail")},
	"downloadAuditTrail":         {rule{may: participants, serve: (*Proxy).downloadAuditTrail, isFile: true}, at(oneTransaction + "/audit-trail")},
	"getVerificationImages":      {rule{may: participants, serve: (*Proxy).getImages}, at(images)},
	"getVerificationImage":       {rule{may: participants, serve: (*Proxy).getImage, isFile: true}, at(images + "/{image}")},
	"getDetailedReport":          {rule{may: participants, serve: (*Proxy).getReport}, at(oneTransaction + "/detailed-verification-report")},
}

// listOfOurs is the operation that the platform has not.
var listOfOurs = upstream.Operation{Name: "listTransactions", Method: http.MethodGet}

// verificationTable is every operation of identity verification with its rule.
func (a *api) verificationTable() []*operation {
	var all []*operation
	for _, o := range append([]upstream.Operation{listOfOurs}, verification.Operations...) {
		r, ok := verificationRules[o.Name]
		if !ok {
			panic("signingproxy: no rule says who may " + o.Name)
		}
		var paths []string
		for _, family := range families {
			for _, below := range r.below {
				paths = append(paths, family+below)
			}
		}
		all = append(all, a.add(o, r.rule, paths...))
	}
	return all
}

// transactionID is what a placeholder of identity verification stands for.
func transactionID(name, value string) (string, bool) {
	switch name {
	case "document":
		return value, verification.IsDocument(value)
	case "image":
		return value, verification.IsImage(value)
	}
	return verification.ID(value)
}

// transactionCreators are everybody, or operators alone.
func transactionCreators(p *Proxy, c *call) error {
	if p.Verification.OperatorsCreate && !c.person.Operator {
		return fault.New(fault.VerificationOperatorsOnly)
	}
	return nil
}

// participants are who started the transaction, and operators.
func participants(p *Proxy, c *call) (err error) {
	c.transaction, err = p.Verification.Transactions.Grant(c.ctx(), c.person, c.sessionID(), c.transactionID())
	return err
}

// starters are who started the transaction: nobody plays somebody else.
func starters(p *Proxy, c *call) error {
	if err := participants(p, c); err != nil {
		return err
	}
	if !c.transaction.MayPlay() {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// erasers are operators, and where the settings say so who started what is erased,
// with a fresh sign-in.
func erasers(p *Proxy, c *call) error {
	if !c.person.Operator && !p.Verification.StartersErase {
		return fault.New(fault.VerificationOperatorsOnly)
	}
	return p.Verification.StepUp.Require(c.gin)
}

func (c *call) transactionID() string { return c.values["transaction"] }

// current is the transaction of the path as the platform has it now, which the index
// is told.
func (p *Proxy) current(c *call) (verification.Transaction, error) {
	t, err := p.Verification.Client.Transaction(c.ctx(), c.transactionID())
	if err != nil {
		return t, p.forget(c, err)
	}
	if t.ID != c.transactionID() {
		return t, unreadable(c, fmt.Errorf("another transaction"))
	}
	p.saw(c, t)
	return t, nil
}

// saw tells the index what the platform has said.
func (p *Proxy) saw(c *call, t verification.Transaction) {
	if err := p.Verification.Transactions.Saw(c.ctx(), t.Value); err != nil {
		request.LogCause(c.gin, fmt.Errorf("%s: tell the index: %w", c.Name, err))
	}
}

// forget is err; the index forgets a transaction that the platform does not know.
func (p *Proxy) forget(c *call, err error) error {
	if fault.Is(err, fault.RequestNotFound) {
		if cause := p.Verification.Transactions.Gone(c.ctx(), c.transactionID()); cause != nil {
			request.LogCause(c.gin, fmt.Errorf("%s: tell the index: %w", c.Name, cause))
		}
	}
	return err
}

// whether reads a parameter that is true or false, false where it is absent.
func (c *call) whether(name string) (bool, error) {
	query := c.gin.Request.URL.Query()
	for given, values := range query {
		if given != name {
			continue
		}
		for _, value := range values {
			if value != "true" && value != "false" || value != values[0] {
				return false, request.Violation("/"+name, "field.boolean")
			}
		}
	}
	return query.Get(name) == "true", nil
}

// ours is our address of something below the transaction.
func (p *Proxy) ours(c *call, below ...string) string {
	return p.Verification.PublicOrigin + "/api/transactions/" + c.transactionID() + strings.Join(below, "/")
}
