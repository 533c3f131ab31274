// Package platform is the typed client of the platform's signing API, with the table of its
// operations.
//
// Every error of the client's methods is a *fault.Error: a row of the operation's
// table, or one of upstream.Client.JSON.
package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// Client calls the signing API. It is safe for concurrent use.
type Client struct {
	upstream *upstream.Client
	paths    config.Paths
	// exclusive says that the platform's listing excludes the package at `to`.
	exclusive atomic.Bool
	unread    *UnreadableLog
	maxWindow int
	piece     time.Duration // pieceTimeout
}

// New returns a Client that logs no unreadable packages. paths replace those of the
// operations.
func New(u *upstream.Client, paths config.Paths) *Client {
	return &Client{upstream: u, paths: paths, unread: NewUnreadableLog(slog.New(slog.DiscardHandler)), maxWindow: maxWindow, piece: pieceTimeout}
}

// WithUnreadableLog sets the log of packages that cannot be read, and returns the client.
func (c *Client) WithUnreadableLog(unread *UnreadableLog) *Client {
	c.unread = unread
	return c
}

// Operation returns o with the path that this platform serves it at.
func (c *Client) Operation(o upstream.Operation) upstream.Operation { return o.At(c.paths) }

// Package returns the package with that id; request.not-found if the platform has none. A
// response that is no JSON object, another package or none is platform.failed, for which
// upstream.IsUnreadable is true.
func (c *Client) Package(ctx context.Context, id string) (signing.Package, error) {
	value, err := c.read(ctx, id, false)
	if err != nil {
		return signing.Package{}, err
	}
	p, err := signing.ReadPackage(value)
	if err == nil && p.ID != id && (p.ID != "" || len(p.Roles) == 0) {
		err = errors.New("the response is about another package, or none")
	}
	if err == nil && p.ID == "" {
		p, err = signing.ReadPackage(withID(value, id))
	}
	if err != nil {
		return signing.Package{}, upstream.Unreadable(fmt.Errorf("%s: %w", getPackage.Name, err))
	}
	return p, nil
}

// withID returns a package that names no id with this one.
func withID(value jsontext.Value, id string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote([]byte(`,"id":`), id) // it was a part of a path
	return slices.Concat(value[:bytes.LastIndexByte(value, '}')], quoted, []byte("}"))
}

// read returns the package as the platform answers it; unguarded makes the call outside the
// circuit breaker.
func (c *Client) read(ctx context.Context, id string, unguarded bool) (jsontext.Value, error) {
	path, ok := upstream.Fill(getPackage.At(c.paths).Path, ofPackage(id))
	if !ok {
		return nil, fault.New(getPackage.ByStatus(http.StatusNotFound))
	}
	call := callOf(getPackage, path)
	call.Check, call.Unguarded = CheckSubject(getPackage, ofPackage(id)), unguarded
	body, err := c.upstream.Body(ctx, call)
	if err != nil {
		return nil, Translate(getPackage, err)
	}
	value := jsontext.Value(utf8Text(body))
	if value.Kind() != '{' || !value.IsValid(payload.Tolerant()) {
		return nil, upstream.Unreadable(fmt.Errorf("%s: the response is not a package", getPackage.Name))
	}
	return value, nil
}

// Visibility returns the visibility of the package's documents.
func (c *Client) Visibility(ctx context.Context, id string) (signing.Visibility, error) {
	var v signing.Visibility
	err := c.call(ctx, getVisibility, exchange{values: ofPackage(id), out: &v})
	return v, err
}

func ofPackage(id string) map[string]string { return map[string]string{"package": id} }

// exchange is the request and the response of one call.
type exchange struct {
	// values fill the path's placeholders; query follows the path.
	values map[string]string
	query  string
	// body is sent as JSON; nil sends none.
	body any
	// out receives the response, as with upstream.Client.JSON; nil takes any JSON and an
	// empty response.
	out any
}

func (c *Client) call(ctx context.Context, op upstream.Operation, x exchange) error {
	path, ok := upstream.Fill(op.At(c.paths).Path, x.values)
	if !ok {
		// The platform has no such id, and it would change the path.
		return fault.New(op.ByStatus(http.StatusNotFound))
	}
	call := callOf(op, path+x.query)
	call.Body, call.Check = x.body, CheckSubject(op, x.values)
	if x.out == nil { // a page of whatever stands before the platform is no success
		x.out = new(jsontext.Value)
	}
	return Translate(op, c.upstream.JSON(ctx, call, x.out))
}

func callOf(op upstream.Operation, path string) upstream.Call {
	return upstream.Call{Operation: op.Name, Method: op.Method, Path: path, Idempotent: op.Idempotent}
}
