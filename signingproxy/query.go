package signingproxy

import (
	"net/url"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/intake"
	"countersign/internal/signing/index"
)

// What a signer may ask for, by the names of parameters.
const (
	askSigner   = "signer"
	askDocument = "document"
	askFlatten  = "flatten"
)

// outgoingQuery is the client's query without what is not for the person to ask. A
// semicolon parts parameters for some servers and not for others, so it is refused.
func (c *call) outgoingQuery() (string, error) {
	if strings.Contains(c.query, ";") {
		return "", fault.New(fault.RequestMalformed)
	}
	var kept []string
	for parameter := range strings.SplitSeq(c.query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		plain, err := url.QueryUnescape(name)
		if err == nil {
			_, err = url.QueryUnescape(value)
		}
		if err != nil {
			return "", fault.Wrap(fault.RequestMalformed, err)
		}
		if parameter != "" && !c.isWithheld(plain) {
			kept = append(kept, parameter)
		}
	}
	return strings.Join(kept, "&"), nil
}

// isWithheld reports whether a parameter does not go to the platform.
func (c *call) isWithheld(name string) bool {
	switch strings.ToLower(name) {
	case "owneremail", "owneruserid":
		return !c.who.Operator
	case inlineParameter:
		return c.isFile
	}
	return c.withheld != "" && strings.EqualFold(name, c.withheld)
}

// writeQuery writes a signer's query anew, of what the operation has signers ask, each
// once: whatever else a platform understands, in whatever spelling, is not asked. Other
// people's stays as it is.
func (c *call) writeQuery() error {
	if c.grant.Standing != index.Signer || c.written != "" {
		return nil
	}
	sent, err := url.ParseQuery(c.query)
	if err != nil {
		return fault.Wrap(fault.RequestMalformed, err)
	}
	anew := url.Values{}
	for _, name := range c.asks {
		value, err := c.asked(name, valuesOf(sent, name))
		if err != nil {
			return err
		}
		if value != "" {
			anew.Set(name, value)
		}
	}
	c.query = anew.Encode()
	return nil
}

// valuesOf are the values of a parameter that are not empty, however its name is spelled.
func valuesOf(sent url.Values, name string) (values []string) {
	for spelled, of := range sent {
		if strings.EqualFold(spelled, name) {
			values = append(values, slices.DeleteFunc(slices.Clone(of), func(v string) bool { return v == "" })...)
		}
	}
	slices.Sort(values) // of several the same goes on each time
	return values
}

// asked is what a signer asks the platform by a parameter that has those values. A signer
// is told of themselves alone, and of documents that they see.
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

// ownName is what names the signer who asks, as the package spells it: what they said, all
// of which is theirs, else what names nobody else.
func (c *call) ownName(said []string) (string, error) {
	said = append(said, c.grant.Names...)
	if len(said) == 0 { // what would name them names somebody else too
		return "", fault.New(fault.SigningNotYourRole)
	}
	for _, id := range c.grant.Signers {
		if strings.EqualFold(id, said[0]) {
			return id, nil
		}
	}
	return intake.FoldAddress(said[0]), nil
}
