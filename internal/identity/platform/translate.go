package platform

import (
	"errors"
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// translate gives a refusal op's row, with the row for the platform's reason as Specific.
// The platform's words are the cause, for the log. An answer that is not the platform's, and
// a 404 without a word of it, stay platform.failed: nothing is missing because a gateway
// has no route.
func (c *Client) translate(op upstream.Operation, err error) error {
	response, ok := errors.AsType[*upstream.Error](err)
	if !ok || response.Foreign {
		return err
	}
	read := readRefusal(response)
	if read.isEmpty() && (response.Status == http.StatusNotFound || response.Status == http.StatusGone) {
		response.Foreign = true // another service's
		return fault.Wrap(fault.PlatformFailed, response)
	}
	if fault.Is(err, fault.PlatformUnavailable) {
		if op.Name == orchestrationCommands.Name {
			fault.From(err).Command = read.command
		}
		return err
	}
	if response.Status == http.StatusUnauthorized || response.Status == http.StatusForbidden {
		read.category, read.number = "", 0 // it is our credential that was refused
	}
	reason, known := fault.Translate(fault.Upstream{
		Family: fault.Identity, Release: c.release, Scenarios: op.Scenarios, Refused: fault.Is(err, fault.PlatformRefused),
		Texts: read.texts, Number: read.number, Category: read.category, UAFStatusCode: read.uafStatusCode,
	})
	status := fault.From(err).Key
	if status == fault.PlatformRefused {
		status = op.ByStatus(response.Status)
	}
	e := fault.Wrap(status, read.cause(response))
	e.UAFStatusCode = read.uafStatusCode
	if op.Name == orchestrationCommands.Name {
		e.Command = read.command
	}
	if namesMissing(status) {
		if !fault.Lookup(reason).Private {
			return e
		}
		status = fault.PlatformRefused // the missing object is the account
	}
	e.Key, e.Specific = fault.Refusal{Status: status, Own: op.Refusal, Reason: reason}.Key(), reason
	said := slices.ContainsFunc(read.texts, func(text string) bool { return text != http.StatusText(response.Status) })
	e.Untranslated = !known && (status != fault.PlatformFailed || said)
	return e
}

// namesMissing reports whether the status alone says which object is missing, unless a
// text names the account.
func namesMissing(key fault.Key) bool {
	return key == fault.SignInUnknown || key == fault.AuthenticatorUnknown
}
