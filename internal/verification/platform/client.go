// Package platform is the typed client of the platform's identity verification API.
//
// Every error of the client's methods is a *fault.Error: one of the operation's refusals,
// or one of upstream.Client.JSON. An answer about another transaction than the requested
// one is platform.failed.
package platform

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// Options configure a Client.
type Options struct {
	Upstream *upstream.Client
	// Paths replace the default paths of operations.
	Paths config.Paths

	// Addresses are the platform's; New sets their Host.
	verification.Addresses
}

// Client calls the identity verification API. It is safe for concurrent use.
type Client struct{ Options }

// New makes a Client.
func New(o Options) *Client {
	o.Host = o.Upstream.URL().Host
	return &Client{o}
}

// Transaction returns the transaction of that id; the error is request.not-found if the
// platform has none, and platform.failed if it answers with another one.
func (c *Client) Transaction(ctx context.Context, id string) (verification.Transaction, error) {
	return c.transaction(ctx, getTransaction, exchange{values: of(id), query: "?withVerifications=true"})
}

// transaction makes a call whose answer is the transaction in its path.
func (c *Client) transaction(ctx context.Context, o upstream.Operation, x exchange) (verification.Transaction, error) {
	body, err := c.call(ctx, o, x)
	if err != nil {
		return verification.Transaction{}, err
	}
	return verification.Read(body)
}

// Results returns the verification results as the platform has them.
func (c *Client) Results(ctx context.Context, id string) (jsontext.Value, error) {
	return c.object(ctx, getTransactionVerification, exchange{values: of(id)})
}

// Report returns the detailed report.
func (c *Client) Report(ctx context.Context, id string) (verification.Report, error) {
	body, err := c.object(ctx, getDetailedReport, exchange{values: of(id)})
	if err != nil {
		return verification.Report{}, err
	}
	return verification.ReadReport(body)
}

// Cancel ends an active transaction and returns it.
func (c *Client) Cancel(ctx context.Context, id string) (verification.Transaction, error) {
	return c.transaction(ctx, cancelTransaction, exchange{values: of(id), body: map[string]string{"trigger": CancelTrigger}})
}

// CancelTrigger is the trigger of the event that cancels a transaction.
const CancelTrigger = "transaction_cancelled"

// Token makes a new token for a role of an active transaction.
func (c *Client) Token(ctx context.Context, id, role string) (verification.Token, error) {
	body, err := c.object(ctx, createSessionToken, exchange{values: of(id), body: map[string]string{"role": role}})
	if err != nil {
		return verification.Token{}, err
	}
	t, err := verification.ReadToken(body)
	if err != nil {
		return verification.Token{}, err
	}
	t.Role = cmp.Or(t.Role, role)
	return t, c.Complete(&t, id)
}

// path returns the platform's path of an operation for these values, and false if one of
// them cannot stand in a path.
func (c *Client) path(o upstream.Operation, values map[string]string) (string, bool) {
	return upstream.Fill(o.At(c.Paths).Path, values)
}

func of(id string) map[string]string { return map[string]string{"transaction": id} }

// exchange holds what one call sends.
type exchange struct {
	values map[string]string
	query  string
	body   any
}

func (c *Client) call(ctx context.Context, o upstream.Operation, x exchange) (jsontext.Value, error) {
	path, ok := c.path(o, x.values)
	if !ok {
		return nil, fault.New(o.ByStatus(http.StatusNotFound))
	}
	body, err := c.Upstream.Body(ctx, upstream.Call{
		Operation: o.Name, Method: o.Method, Path: path + x.query, Body: x.body, Idempotent: o.Idempotent,
		Check: ofSubjectAlone(o, x.values),
	})
	return body, translate(o, err)
}

// object makes a call whose answer must be a JSON object.
func (c *Client) object(ctx context.Context, o upstream.Operation, x exchange) (jsontext.Value, error) {
	body, err := c.call(ctx, o, x)
	if err == nil && (!body.IsValid() || body.Kind() != '{') {
		err = verification.Unreadable(fmt.Errorf("%s: no object", o.Name))
	}
	return body, err
}
