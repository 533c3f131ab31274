package signingproxy

import (
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/intake"
	"countersign/internal/request"
	"countersign/internal/verification"
)

// answerTransaction answers with a transaction as the person is shown it. Which tokens
// they see follows from who started it, as the platform has it.
func (p *Proxy) answerTransaction(c *call, t verification.Transaction, without ...string) error {
	by, _ := p.Verification.Transactions.Open(t.OpaqueID)
	return p.answerShown(c, t.Value, verification.Shown{
		Transaction: t.ID, Tokens: by.User == c.person.User, Without: without,
	})
}

// answerShown answers with what of body the person is shown.
func (p *Proxy) answerShown(c *call, body jsontext.Value, how verification.Shown) error {
	how.Own = func(opaqueID string) (string, bool) {
		by, ok := p.Verification.Transactions.Open(opaqueID)
		return by.Own, ok && by.Own != ""
	}
	if how.Ours == nil {
		how.Ours = func(string) (string, bool) { return "", false }
	}
	shown, err := p.Verification.Client.Show(body, how)
	if err != nil {
		return err
	}
	c.data(http.StatusOK, request.JSONType, shown)
	return nil
}

func (p *Proxy) getTransaction(c *call) error {
	with, err := c.whether("withVerifications")
	if err != nil {
		return err
	}
	t, err := p.current(c)
	if err != nil {
		return err
	}
	if !with {
		return p.answerTransaction(c, t, "verifications")
	}
	return p.answerTransaction(c, t)
}

func (p *Proxy) getResults(c *call) error {
	body, err := p.Verification.Client.Results(c.ctx(), c.transactionID())
	if err != nil {
		return p.forget(c, err)
	}
	return p.answerPictured(c, body)
}

func (p *Proxy) getReport(c *call) error {
	report, err := p.Verification.Client.Report(c.ctx(), c.transactionID())
	if err != nil {
		return p.forget(c, err)
	}
	if err := p.Verification.Transactions.Concluded(c.ctx(), c.transactionID(), report.Result); err != nil {
		request.LogCause(c.gin, err)
	}
	return p.answerPictured(c, report.Value)
}

// answerPictured answers with what may name pictures, by our addresses where they can
// be had.
func (p *Proxy) answerPictured(c *call, body jsontext.Value) error {
	var known map[string]string
	return p.answerShown(c, body, verification.Shown{
		Transaction: c.transactionID(),
		Ours: func(address string) (string, bool) {
			if known == nil {
				known = p.pictures(c)
			}
			ours, ok := known[address]
			return ours, ok
		},
	})
}

// pictures are our addresses of the transaction's pictures, by the platform's. What
// cannot be asked now is left out.
func (p *Proxy) pictures(c *call) map[string]string {
	known := map[string]string{}
	t, err := p.current(c)
	if err != nil || t.Status != verification.Completed {
		return known
	}
	for _, v := range t.Verifications {
		id, ok := verification.ID(v.ID)
		if !ok || !t.Succeeded(v.ID) {
			continue
		}
		images, err := p.Verification.Client.Images(c.ctx(), t.ID, v.ID)
		if err != nil {
			request.LogCause(c.gin, err)
		}
		for _, image := range images {
			ours := p.ours(c, "", "verifications", id, "verification-images", url.PathEscape(image.Name))
			known[image.Address] = ours
			if path, err := p.Verification.Client.ImagePath(image); err == nil {
				known[c.upstream.URL().String()+path] = ours
			}
		}
	}
	return known
}

func (p *Proxy) cancelTransaction(c *call) error {
	trigger, err := readText(c, "trigger")
	if err != nil {
		return err
	}
	if trigger != verification.CancelTrigger {
		return request.Violation("/trigger", "field.choice")
	}
	t, err := p.current(c)
	if err == nil {
		err = t.WhileActive()
	}
	if err != nil {
		return err
	}
	if t, err = p.Verification.Client.Cancel(c.ctx(), c.transactionID()); err != nil {
		return err
	}
	p.saw(c, t)
	return p.answerTransaction(c, t)
}

func (p *Proxy) createSessionToken(c *call) error {
	role, err := readText(c, "role")
	if err != nil {
		return err
	}
	if role == "" || len([]rune(role)) > verification.MaxRole {
		return request.Violation("/role", "field.role-name")
	}
	t, err := p.current(c)
	if err == nil {
		err = t.WhileActive()
	}
	if err != nil {
		return err
	}
	if !t.HasRole(role) {
		return request.Violation("/role", "field.transaction-role")
	}
	token, err := p.Verification.Client.Token(c.ctx(), c.transactionID(), role)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, token)
}

func (p *Proxy) generateAuditTrail(c *call) error {
	force, err := c.whether("force")
	if err != nil {
		return err
	}
	t, err := p.current(c)
	if err == nil {
		err = t.WhileActive()
	}
	if err != nil {
		return err
	}
	trail, err := p.Verification.Client.GenerateAuditTrail(c.ctx(), c.transactionID(), force)
	if err != nil {
		return err
	}
	if err := p.Verification.Transactions.KeepTrail(c.ctx(), c.transactionID(), trail.URL); err != nil {
		return err
	}
	return answer(c, http.StatusAccepted, verification.AuditTrail{Status: trail.Status, URL: p.ours(c, "/audit-trail")})
}

// getImages answers with our addresses of the pictures.
func (p *Proxy) getImages(c *call) error {
	list, err := p.succeeded(c)
	if err != nil {
		return err
	}
	named := make([]map[string]string, len(list))
	for i, image := range list {
		named[i] = map[string]string{image.Name: p.ours(c, "", "verifications", c.values["verification"], "verification-images", url.PathEscape(image.Name))}
	}
	return answer(c, http.StatusOK, map[string]any{
		"transaction_id": c.transactionID(), "verification_id": c.values["verification"], "verified_images": named,
	})
}

// succeeded are the pictures of the verification of the path, which has to have
// succeeded.
func (p *Proxy) succeeded(c *call) ([]verification.Image, error) {
	t, err := p.current(c)
	if err == nil {
		err = t.WhenSucceeded(c.values["verification"])
	}
	if err != nil {
		return nil, err
	}
	return p.Verification.Client.Images(c.ctx(), c.transactionID(), c.values["verification"])
}

// readText reads a small JSON object with a member of that name, a text. What is too deep
// is not read to its end.
func readText(c *call, name string) (string, error) {
	small := http.MaxBytesReader(c.gin.Writer, c.gin.Request.Body, maxPayload)
	c.gin.Request.Body = io.NopCloser(io.TeeReader(small, &intake.Scanner{Limit: maxPayload}))
	body, err := request.JSON(c.gin)
	if err != nil {
		return "", err
	}
	text := body.Required(name)
	return text, body.Err()
}

// answer answers with v as JSON.
func answer(c *call, status int, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.data(status, request.JSONType, body)
	return nil
}
