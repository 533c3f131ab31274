package identity

import (
	"errors"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// translate makes of a refusal the row that the operation promises for it, with
// the more specific one of what the platform said. What it said remains the
// cause, for the log.
func (c *Client) translate(op operation, err error) error {
	said, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		return err
	}
	read := readRefusal(said)
	if fault.Is(err, fault.PlatformUnavailable) {
		if op.commands {
			fault.From(err).Command = read.command
		}
		return err
	}
	refused := fault.Is(err, fault.PlatformRefused)
	key := fault.From(err).Key
	if listed := op.refusals[said.Status]; refused && listed != "" {
		key = listed
	}
	e := fault.Wrap(key, read.cause(said))
	e.UAFStatusCode = read.uafStatusCode
	if op.commands {
		e.Command = read.command
	}
	specific, known := fault.Translate(fault.Upstream{
		Family: fault.Identity, Release: c.release, Scenario: op.scenario,
		Texts: read.texts, Number: read.number, Category: read.category, UAFStatusCode: read.uafStatusCode,
	})
	switch {
	case named(key) && !fault.Lookup(specific).Private:
		return e
	case named(key): // it is the account that is not there
		e.Key = fault.PlatformRefused
	}
	e.Specific = specific
	e.Untranslated = !known && (refused || len(read.texts) > 0)
	if known && op.conceals(specific) {
		e.Key = op.hides
	}
	return e
}

// conceals reports whether key is to be told under the row that op hides behind:
// what tells of an account and, where somebody signs in, every reason, under
// whatever status it came, for nobody is given one for an account that does not
// exist.
func (op operation) conceals(key fault.Key) bool {
	return op.hides == fault.SignInRefused || op.hides != "" && fault.Lookup(key).Private
}

// named reports whether the status alone says which thing does not exist, unless
// a text tells of the account.
func named(key fault.Key) bool {
	return key == fault.SignInUnknown || key == fault.AuthenticatorUnknown
}
