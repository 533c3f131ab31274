// Package identity is the typed client of the platform's identity API: FIDO
// registration and authentication, login, users and their authenticators, in
// the shapes of part 4.3 of the specification and of the identity facts.
//
// It says what a refusal of each operation means, as a row of the fault
// catalogue, and refuses answers that lack what they are asked for. Every error
// of its methods is a *fault.Error: its Key is one that the method names, or one
// of upstream.Client.JSON, its Specific the row of what the platform said.
//
// A FIDO message is a JSON text inside a JSON string. It passes through here
// untouched: reading it is for package ceremony.
package identity

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

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
	// Paths of the operations; an empty one has its default.
	Paths Paths
	// Release is the platform's, as far as errors go: 22.R4 or 22.R3; empty is
	// 22.R4.
	Release string
}

// Client calls the identity API. It is safe for concurrent use.
type Client struct {
	upstream *upstream.Client
	paths    Paths
	release  fault.Release
}

// New makes a Client.
func New(o Options) *Client {
	return &Client{upstream: o.Upstream, paths: o.Paths.orDefaults(), release: fault.Release(cmp.Or(o.Release, string(fault.R4)))}
}

// operation is one call of the API.
type operation struct {
	name       string
	method     string
	path       string
	idempotent bool
	// refusal is the operation's own row: of every reason that the platform gives.
	refusal fault.Key
	// refusals are the rows that HTTP statuses mean without a reason. One that is
	// not listed stays platform.refused.
	refusals map[int]fault.Key
	// scenario is what somebody is about to do, for what the platform says of it.
	scenario fault.Scenario
	// commands says that an error may carry a command for the orchestration SDK.
	commands bool
}

// target is what a call is about: the values of a path's placeholders.
type target struct{ user, request, registration string }

// Ready reports that the platform can be asked: platform.unavailable, retryable,
// while the circuit to it is open. What is spent by a call is spent after Ready.
func (c *Client) Ready(ctx context.Context) error { return c.upstream.Ready(ctx) }

// call carries op out. Secrets are values in body that no error may show.
func (c *Client) call(ctx context.Context, op operation, on target, body, out any, secrets ...string) error {
	path, ok := on.fill(op.path)
	if !ok {
		// No id of the platform's, and one that would change the path.
		return fault.New(op.byStatus(fault.PlatformRefused, http.StatusNotFound))
	}
	err := c.upstream.JSON(ctx, upstream.Call{
		Operation: op.name, Method: op.method, Path: path, Body: body,
		Idempotent: op.idempotent, Secrets: secrets,
	}, out)
	return c.translate(op, err)
}

// lacks is the error of an answer without the member it was asked for.
func (op operation) lacks(member string, status *Number) error {
	e := fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the answer lacks %s", op.name, member))
	e.UAFStatusCode = status.int()
	return e
}

// fill puts the values into template, escaped. It reports false for a value
// that names nothing: an empty one, or one that would lead out of its place in
// the path for a server that undoes the escape of a slash before it looks.
func (on target) fill(template string) (string, bool) {
	for _, p := range []struct{ name, value string }{
		{"{user}", on.user}, {"{requestID}", on.request}, {"{registrationID}", on.registration},
	} {
		if !strings.Contains(template, p.name) {
			continue
		}
		if p.value == "" || climbs(p.value) {
			return "", false
		}
		template = strings.ReplaceAll(template, p.name, url.PathEscape(p.value))
	}
	return template, true
}

// climbs reports whether value has a "." or ".." between its slashes, of
// either kind.
func climbs(value string) bool {
	for segment := range strings.SplitSeq(strings.ReplaceAll(value, `\`, "/"), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
