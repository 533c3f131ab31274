package verification

import (
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/reqctx"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/platform"
	"countersign/internal/verification/service"
	"countersign/signingproxy"
)

// start starts a transaction, once for each Idempotency-Key.
func (a *API) start(c *call) error {
	key, err := signingproxy.IdempotencyKey(c.Request)
	if err != nil {
		return err
	}
	self, err := c.ofThemselves()
	if err == nil {
		err = c.payload(verification.MaxCreation)
	}
	if err != nil {
		return err
	}
	t, replayed, err := a.Service.Start(c.Request.Context(), c.who, service.Start{Payload: c.Request.Body, Self: self, Key: key})
	var without []string
	if replayed {
		c.Header(signingproxy.ReplayedHeader, "true")
		without = []string{"verifications"}
	}
	if err != nil {
		return err
	}
	body, err := a.Service.Show(c.who, t, without...)
	return c.shown(http.StatusOK, body, err)
}

// ofThemselves reports whether the query has ?for=self, with which a person verifies
// themselves.
func (c *call) ofThemselves() (bool, error) {
	asked := c.Request.URL.Query()["for"]
	if slices.ContainsFunc(asked, func(who string) bool { return who != "self" }) {
		return false, payload.Violation("/for", "field.choice")
	}
	return len(asked) > 0, nil
}

// payload requires a JSON body and limits it to most bytes.
func (c *call) payload(most int64) error {
	if err := request.RequireType(c.Request, request.JSONType); err != nil {
		return err
	}
	if c.Request.ContentLength > most {
		return fault.New(fault.RequestTooLarge)
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, most)
	return nil
}

func (a *API) cancel(c *call) error {
	trigger, err := c.text("trigger")
	if err != nil {
		return err
	}
	if trigger != platform.CancelTrigger {
		return payload.Violation("/trigger", "field.choice")
	}
	t, err := a.Service.Cancel(c.Request.Context(), c.who, c.id)
	if err != nil {
		return err
	}
	body, err := a.Service.Show(c.who, t)
	return c.shown(http.StatusOK, body, err)
}

func (a *API) token(c *call) error {
	role, err := c.text("role")
	if err != nil {
		return err
	}
	if role == "" || len([]rune(role)) > verification.MaxRole {
		return payload.Violation("/role", "field.role-name")
	}
	token, err := a.Service.Token(c.Request.Context(), c.who, c.id, role)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, token)
}

func (a *API) generateTrail(c *call) error {
	force, err := c.flag("force")
	if err != nil {
		return err
	}
	status, err := a.Service.GenerateTrail(c.Request.Context(), c.who, c.id, force)
	if err != nil {
		return err
	}
	return c.answer(http.StatusAccepted, platform.AuditTrail{Status: status, URL: a.ours(c, "/audit-trail")})
}

func (a *API) erase(c *call) error {
	wanted, err := c.erasure(true)
	if err != nil {
		return err
	}
	done, err := a.Service.Erase(c.Request.Context(), c.who, wanted)
	if err != nil {
		return err
	}
	message := "erasure.marked"
	if wanted.Days == 0 {
		message = "erasure.erased"
	}
	return a.answerErasure(c, wanted.IDs, done, said{"marking_event", platform.EraseAccepted, platform.EraseUnknown, message})
}

func (a *API) takeBack(c *call) error {
	wanted, err := c.erasure(false)
	if err != nil {
		return err
	}
	done, err := a.Service.TakeBack(c.Request.Context(), c.who, wanted.IDs)
	if err != nil {
		return err
	}
	return a.answerErasure(c, wanted.IDs, done, said{"unmarking_event", platform.RecoveryAccepted, platform.RecoveryUnknown, "erasure.unmarked"})
}

// erasure reads which transactions to mark or unmark.
func (c *call) erasure(marking bool) (verification.Erasure, error) {
	if err := c.payload(signingproxy.MaxPayload); err != nil {
		return verification.Erasure{}, err
	}
	return verification.ReadErasure(c.Request.Body, marking)
}

// said names the member of an answer that holds the event of a transaction, the events of
// accepted and of unknown transactions, and the message of accepted ones.
type said struct{ member, accepted, unknown, done string }

// answerErasure sends one result for each transaction, in the order of the request.
func (a *API) answerErasure(c *call, ids []string, done map[string]bool, how said) error {
	say := a.Bundle.For(reqctx.From(c.Request.Context()).Language)
	items, message := make([]map[string]string, len(ids)), say.T("erasure.done")
	for i, id := range ids {
		items[i] = map[string]string{"transaction_id": id, how.member: how.accepted, "message": say.T(how.done)}
		if !done[id] {
			items[i][how.member], items[i]["message"], message = how.unknown, say.T("erasure.not-found"), say.T("erasure.part")
		}
	}
	return c.answer(http.StatusOK, map[string]any{"message": message, "transactions": items})
}

// text reads the string member of that name from a small JSON object.
func (c *call) text(name string) (string, error) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, signingproxy.MaxPayload)
	body, err := request.JSON(c.Context)
	if err != nil {
		return "", err
	}
	text := body.Required(name)
	return text, body.Err()
}
