// Package platform is the typed client of the platform's identity API.
//
// Each operation's refusal is a fault of the catalogue, and so is a response that lacks a
// required member. Every error of the methods is a *fault.Error: its Key is one that the
// method names, or one of upstream.Client.JSON, and its Specific is the row for the
// platform's reason.
//
// A FIDO message is a JSON text inside a JSON string. It passes through untouched;
// package ceremony reads it.
package platform

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// The values of fidoProtocol.
const (
	FIDO2 = "FIDO2"
	UAF11 = "UAF11"
)

// Options of New.
type Options struct {
	Upstream *upstream.Client
	// Paths replaces the operations' paths.
	Paths config.Paths
	// Release is the platform's release, 22.R4 or 22.R3, which decides the form of
	// errors; empty stands for 22.R4.
	Release string
	// ExactCase says that names which differ in the case of letters are two users.
	ExactCase bool
	// Logger gets what no caller is told; nil discards it.
	Logger *slog.Logger
}

// Client calls the identity API. It is safe for concurrent use.
type Client struct {
	upstream  *upstream.Client
	paths     config.Paths
	release   fault.Release
	exactCase bool
	logger    *slog.Logger
}

// New makes a Client.
func New(o Options) *Client {
	return &Client{
		upstream: o.Upstream, paths: o.Paths, release: fault.Release(cmp.Or(o.Release, string(fault.R4))),
		exactCase: o.ExactCase, logger: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
	}
}

// Ready returns platform.unavailable, which is retryable, while the circuit to the
// platform is open. Call it before spending anything on a call.
func (c *Client) Ready(ctx context.Context) error { return c.upstream.Ready(ctx) }

// exchange is the input and output of one call.
type exchange struct {
	// values are the values of the path's placeholders.
	values map[string]string
	// query is added to the path's own; it may be empty.
	query string
	// body is sent and out filled in, both as in upstream.Client.JSON; either may be nil.
	body, out any
	// check judges the body of a success; nil rejects one that names another user than values.
	check func(body []byte) error
	// secrets are values in body that no error may show.
	secrets []string
	// once says that the call is not repeated, even if the operation allows it.
	once bool
}

func ofUser(user string) map[string]string { return map[string]string{"user": user} }

func (c *Client) call(ctx context.Context, op upstream.Operation, x exchange) error {
	path, ok := upstream.Fill(op.At(c.paths).Path, x.values)
	if !ok {
		// The platform has no such id, which would also change the path.
		return fault.New(op.ByStatus(http.StatusNotFound))
	}
	if x.query != "" {
		path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + x.query
	}
	if x.check == nil {
		x.check = c.ofUserAlone(x.values["user"])
	}
	err := c.upstream.JSON(ctx, upstream.Call{
		Operation: op.Name, Method: op.Method, Path: path, Body: x.body,
		Idempotent: op.Idempotent && !x.once, Once: x.once, Secrets: x.secrets,
		Check: x.check,
	}, x.out)
	return c.translate(op, err)
}

// lacks returns the error of a response to op that lacks a required member.
func lacks(op upstream.Operation, member string, status *Number) error {
	e := fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the response lacks %s", op.Name, member))
	e.UAFStatusCode = status.int()
	return e
}
