// Package signing is what electronic signing is: the typed client of the
// platform's signing API for the calls that Countersign itself makes, the table of
// all its operations, the query of its listing, and what of a package a signer is
// shown (specification, parts 2, 4.1 and 4.2; docs/platform.md).
//
// Every error of the client's methods is a *fault.Error: a row of the operation's
// table, or one of upstream.Client.JSON. Packages are the platform's JSON, byte
// for byte.
package signing

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Client calls the signing API. It is safe for concurrent use.
type Client struct {
	upstream *upstream.Client
	paths    config.Paths
	// exclusive says that the platform left the last package out of a window.
	exclusive atomic.Bool
	unread    *Unread
	apart     *apart
	window    int // maxWindow
}

// New makes a Client, which tells nobody of packages that cannot be read. paths replace
// those of the operations.
func New(u *upstream.Client, paths config.Paths) *Client {
	return &Client{upstream: u, paths: paths, unread: NewUnread(slog.New(slog.DiscardHandler)), apart: newApart(), window: maxWindow}
}

// Telling has the client tell unread of packages that cannot be read, and returns it.
func (c *Client) Telling(unread *Unread) *Client {
	c.unread = unread
	return c
}

// Operation is o at the path where this platform has it.
func (c *Client) Operation(o upstream.Operation) upstream.Operation { return o.At(c.paths) }

// Package is the package of that id, as the platform has it: request.not-found
// where it has none. What is no JSON is platform.failed, of which
// upstream.IsUnreadable tells.
func (c *Client) Package(ctx context.Context, id string) (jsontext.Value, error) {
	path, ok := upstream.Fill(getPackage.At(c.paths).Path, ofPackage(id))
	if !ok {
		return nil, fault.New(getPackage.ByStatus(http.StatusNotFound))
	}
	body, err := c.upstream.Body(ctx, callOf(getPackage, path))
	if err != nil {
		return nil, Translate(getPackage, err)
	}
	value := jsontext.Value(utf8Text(body))
	if value.Kind() != '{' || !value.IsValid(lenient) {
		return nil, upstream.Unreadable(fmt.Errorf("%s: the response is no package", getPackage.Name))
	}
	return value, nil
}

// Visibility says which roles see which documents of a package. A document that it
// does not name is visible to all (docs/platform.md S8).
type Visibility struct {
	Configurations []VisibleDocument `json:"configurations"`
}

// VisibleDocument is a document, and the ids of the roles that see it.
type VisibleDocument struct {
	Document string   `json:"documentUid"`
	Roles    []string `json:"roleUids"`
}

// Visibility is that of the documents of the package of that id.
func (c *Client) Visibility(ctx context.Context, id string) (Visibility, error) {
	var v Visibility
	err := c.call(ctx, getVisibility, exchange{values: ofPackage(id), out: &v})
	return v, err
}

func ofPackage(id string) map[string]string { return map[string]string{"package": id} }

// exchange is what one call sends and receives.
type exchange struct {
	// values are those of the path's placeholders; query follows the path.
	values map[string]string
	query  string
	// body is sent as JSON; nil sends none.
	body any
	// out is filled in from the response, as upstream.Client.JSON does.
	out any
}

func (c *Client) call(ctx context.Context, op upstream.Operation, x exchange) error {
	path, ok := upstream.Fill(op.At(c.paths).Path, x.values)
	if !ok {
		// The platform has no such id, and it would change the path.
		return fault.New(op.ByStatus(http.StatusNotFound))
	}
	call := callOf(op, path+x.query)
	call.Body = x.body
	return Translate(op, c.upstream.JSON(ctx, call, x.out))
}

func callOf(op upstream.Operation, path string) upstream.Call {
	return upstream.Call{Operation: op.Name, Method: op.Method, Path: path, Idempotent: op.Idempotent}
}
