// Package identity is the typed client of the platform's identity API: FIDO
// registration and authentication, login, users and their authenticators, in
// the shapes of part 4.3 of the specification and of the identity facts.
//
// It says what a refusal of each operation means, as a row of the fault
// catalogue, and refuses answers that lack what they are asked for. Every error
// of its methods is a *fault.Error; beside those that each method names there
// are the ones of upstream.Client.JSON.
//
// A FIDO message is a JSON text inside a JSON string. It passes through here
// untouched: reading it is for package ceremony.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

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
}

// Client calls the identity API. It is safe for concurrent use.
type Client struct {
	upstream *upstream.Client
	paths    Paths
}

// New makes a Client.
func New(o Options) *Client { return &Client{upstream: o.Upstream, paths: o.Paths.orDefaults()} }

// operation is one call of the API.
type operation struct {
	name       string
	method     string
	path       string
	idempotent bool
	// refusals are the rows that statuses mean here. One that is not listed
	// stays platform.refused.
	refusals map[int]fault.Key
}

// target is what a call is about: the values of a path's placeholders.
type target struct{ user, request, registration string }

// call carries op out. Secrets are values in body that no error may show.
func (c *Client) call(ctx context.Context, op operation, on target, body, out any, secrets ...string) error {
	path, ok := on.fill(op.path)
	if !ok {
		// No id of the platform's, and one that would change the path.
		return fault.New(op.refusals[http.StatusNotFound])
	}
	err := c.upstream.JSON(ctx, upstream.Call{
		Operation: op.name, Method: op.method, Path: path, Body: body,
		Idempotent: op.idempotent, Secrets: secrets,
	}, out)
	return op.translate(err)
}

func (op operation) translate(err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	if !ok || !fault.Is(err, fault.PlatformRefused) {
		return err
	}
	key, ok := op.refusals[said.Status]
	if !ok {
		key = fault.PlatformRefused
	}
	refused := fault.Wrap(key, said)
	refused.UAFStatusCode = uafStatusOf(said.Body)
	return refused
}

// uafStatusOf reads uafStatusCode out of an error's body; zero if none.
func uafStatusOf(body []byte) int {
	var members struct {
		UAFStatusCode *Number `json:"uafStatusCode"`
	}
	if json.Unmarshal(body, &members) != nil {
		return 0
	}
	return members.UAFStatusCode.int()
}

// lacks is the error of an answer without the member it was asked for.
func (op operation) lacks(member string, status *Number) error {
	e := fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: the answer lacks %s", op.name, member))
	e.UAFStatusCode = status.int()
	return e
}

// fill puts the values into template, escaped. It reports false for a value
// that is no path segment.
func (on target) fill(template string) (string, bool) {
	for _, p := range []struct{ name, value string }{
		{"{user}", on.user}, {"{requestID}", on.request}, {"{registrationID}", on.registration},
	} {
		if !strings.Contains(template, p.name) {
			continue
		}
		if p.value == "" || p.value == "." || p.value == ".." {
			return "", false
		}
		template = strings.ReplaceAll(template, p.name, url.PathEscape(p.value))
	}
	return template, true
}
