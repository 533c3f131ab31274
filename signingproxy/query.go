package signingproxy

import (
	"net/url"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing/index"
)

// The query parameters that a signer may send.
const (
	askSigner   = "signer"
	askDocument = "document"
	askFlatten  = "flatten"
)

// askRole is a query parameter that is withheld: whose an attachment is, its path alone says.
const askRole = "role"

// writeQuery makes the client's query the one for the platform. An owner's and an operator's
// loses the parameters that they may not send. Semicolons are refused, because some servers take
// them as separators and others do not.
func (c *call) writeQuery() error {
	switch {
	case c.grant.Access == index.Signer:
		return c.rewriteQuery()
	case strings.Contains(c.query, ";"):
		return fault.New(fault.RequestMalformed)
	}
	var kept []string
	for parameter := range strings.SplitSeq(c.query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		plain, err := url.QueryUnescape(name)
		if err == nil {
			_, err = url.QueryUnescape(value)
		}
		if err != nil {
			return fault.Wrap(fault.RequestMalformed, err)
		}
		if parameter != "" && !c.isWithheld(plain) {
			kept = append(kept, parameter)
		}
	}
	c.query = strings.Join(kept, "&")
	return nil
}

// isWithheld reports whether a parameter is kept from the platform.
func (c *call) isWithheld(name string) bool {
	switch strings.ToLower(name) {
	case "owneremail", "owneruserid":
		return !c.who.Operator
	case inlineParameter:
		return c.isFile
	}
	return c.withheld != "" && strings.EqualFold(name, c.withheld)
}

// rewriteQuery writes a signer's query again from the parameters that the operation allows
// signers, each once, so that no other parameter or spelling reaches the platform.
func (c *call) rewriteQuery() error {
	sent, err := url.ParseQuery(c.query)
	if err != nil {
		return fault.Wrap(fault.RequestMalformed, err)
	}
	kept := url.Values{}
	for _, name := range c.asks {
		value, err := c.asked(name, valuesOf(sent, name))
		if err != nil {
			return err
		}
		if value != "" {
			kept.Set(name, value)
		}
	}
	c.query = kept.Encode()
	return nil
}

// valuesOf returns the non-empty values of a parameter, whatever the case of its name.
func valuesOf(sent url.Values, name string) (values []string) {
	for spelled, of := range sent {
		if strings.EqualFold(spelled, name) {
			values = append(values, slices.DeleteFunc(slices.Clone(of), func(v string) bool { return v == "" })...)
		}
	}
	slices.Sort(values) // sorted, so that the same value is chosen each time
	return values
}

// asked returns the value to send for a parameter for which the signer sent values. It
// refuses values that name another signer, or a document that the signer may not see.
func (c *call) asked(name string, values []string) (string, error) {
	for _, value := range values {
		switch {
		case name == askSigner && !c.isOwn(value):
			return "", fault.New(fault.SigningNotYourRole)
		case name == askDocument && !c.grant.Sees(value):
			return "", fault.New(fault.RequestNotFound)
		}
	}
	switch {
	case name == askSigner:
		return c.ownName(values)
	case len(values) == 0:
		return "", nil
	}
	return values[0], nil
}

// ownName returns a name of the signer who asks, as the package spells it: the one that
// they sent or, without one, a name that nobody else in the package has.
func (c *call) ownName(said []string) (string, error) {
	said = append(said, c.grant.Names...)
	if len(said) == 0 { // every name of theirs is somebody else's too
		return "", fault.New(fault.SigningNotYourRole)
	}
	for _, id := range c.grant.Signers {
		if strings.EqualFold(id, said[0]) {
			return id, nil
		}
	}
	return payload.FoldAddress(said[0]), nil
}
