package verification

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/internal/verification/platform"
	"countersign/signingproxy"
)

const (
	defaultListed = 50
	maxListed     = 100
)

// list lists the person's own transactions.
func (a *API) list(c *call) error {
	q, err := readQuery(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	page, err := a.Service.List(c.Request.Context(), c.who, q)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, page)
}

func readQuery(raw string) (index.Query, error) {
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
	switch last := q.From + maxListed - 1; {
	case q.To == 0:
		q.To = q.From + defaultListed - 1
	case q.To < q.From || q.To > last:
		q.To = last
	}
	return q, nil
}

func (a *API) show(c *call) error {
	with, err := c.flag("withVerifications")
	if err != nil {
		return err
	}
	t, err := a.Service.Get(c.Request.Context(), c.who, c.id)
	if err != nil {
		return err
	}
	var without []string
	if !with {
		without = []string{"verifications"}
	}
	body, err := a.Service.Show(c.who, t, without...)
	return c.shown(http.StatusOK, body, err)
}

func (a *API) results(c *call) error {
	body, err := a.Service.Results(c.Request.Context(), c.who, c.id, a.picture(c))
	return c.shown(http.StatusOK, body, err)
}

func (a *API) report(c *call) error {
	body, err := a.Service.Report(c.Request.Context(), c.who, c.id, a.picture(c))
	return c.shown(http.StatusOK, body, err)
}

// picture returns the function that makes our addresses of pictures.
func (a *API) picture(c *call) func(of, name string) string {
	return func(of, name string) string {
		return a.ours(c, "/verifications/"+of+"/verification-images/"+url.PathEscape(name))
	}
}

// images lists the pictures of a verification at our addresses.
func (a *API) images(c *call) error {
	of := c.values["verification"]
	list, err := a.Service.Images(c.Request.Context(), c.who, c.id, of)
	if err != nil {
		return err
	}
	named := make([]map[string]string, len(list))
	for i, image := range list {
		named[i] = map[string]string{image.Name: a.picture(c)(of, image.Name)}
	}
	return c.answer(http.StatusOK, map[string]any{"transaction_id": c.id, "verification_id": of, "verified_images": named})
}

func (a *API) image(c *call) error {
	file, err := a.Service.Image(c.Request.Context(), c.who, c.id, c.values["verification"], c.values["image"], c.wanted())
	return c.file("getVerificationImage", file, err)
}

func (a *API) evidence(c *call) error {
	file, err := a.Service.Evidence(c.Request.Context(), c.who, c.id, c.wanted())
	return c.file("getEvidence", file, err)
}

func (a *API) document(c *call) error {
	file, err := a.Service.Document(c.Request.Context(), c.who, c.id, c.values["document"], c.wanted())
	return c.file("getDocument", file, err)
}

func (a *API) trail(c *call) error {
	file, err := a.Service.Trail(c.Request.Context(), c.who, c.id, c.wanted())
	return c.file("downloadAuditTrail", file, err)
}

func (c *call) wanted() http.Header { return signingproxy.Wanted(c.Request, true) }

// file streams a file that an operation is answered with, or returns err.
func (c *call) file(operation string, file *platform.File, err error) error {
	if err != nil {
		return err
	}
	defer file.Response.Body.Close()
	return signingproxy.AnswerFile(c.Context, operation, file.Response, file.Name)
}
