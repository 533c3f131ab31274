package index

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of a package that is made here. The platform may have others, which are
// listed all the same and named in the log.
const (
	maxDepth       = 64
	maxText        = 64 << 10
	maxDescription = 4000 // characters
	maxData        = 16 << 10
	maxPackage     = 1 << 20
	maxParts       = 100 // documents, roles
	maxFields      = 2000
)

// The bounds of a record in Redis, in bytes: of all of it, of its policy, of what is
// around both, and of an item before it is deflated.
const (
	maxRecord = 16 << 10
	maxPolicy = 10 << 10
	around    = 256
	maxItem   = 256 << 10
	// maxPeople is how many people an excerpt names, and a policy that is too long.
	maxPeople = 100
	// maxName is the longest text of an excerpt, in characters.
	maxName = 255
)

// errCut is a package of which the index keeps an excerpt.
var errCut = errors.New("access: its record would be too long; names, states and people are kept")

// breaks says which bound the package breaks, its item being that deep.
func (p *platformPackage) breaks(item []byte, deepest int) error {
	fields, ours := 0, struct {
		Countersign jsontext.Value `json:"countersign"`
	}{}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			fields += int(a.Fields)
		}
	}
	if len(p.Data) > maxData {
		_ = json.Unmarshal(p.Data, &ours, lenient) // anybody's
	}
	switch {
	case deepest > maxDepth:
		return errors.New("access: it has more than 64 levels")
	case len(item) > maxPackage, utf8.RuneCountInString(p.Description) > maxDescription, len(p.Data)-len(ours.Countersign) > maxData, longText(item):
		return errors.New("access: a text, its data or all of it is too long")
	case len(p.Documents) > maxParts+1, len(p.Roles) > maxParts+1, fields > maxFields: // with the platform's own
		return errors.New("access: it has too many documents, roles or fields")
	}
	return nil
}

// longText reports whether one of the texts of JSON is too long.
func longText(item []byte) bool {
	if len(item) <= maxText {
		return false
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(item))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return false
		}
		if token.Kind() == '"' && len(token.String()) > maxText {
			return true
		}
	}
}

// elements is how many an array has; anything else has none.
type elements int

// UnmarshalJSONFrom counts.
func (n *elements) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*n = 0
	if d.PeekKind() != '[' {
		return d.SkipValue()
	}
	_, err := d.ReadToken()
	for ; err == nil && d.PeekKind() != ']'; *n++ {
		err = d.SkipValue()
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return err
}

// bounded is the policy as a record holds it. One that is too long names as many people as
// there is room for, and no documents: what it says of others the platform is asked for.
func (p *policy) bounded() (*policy, error) {
	encoded, err := encodePolicy(p)
	if err != nil || len(encoded) <= maxPolicy {
		return p, err
	}
	cut := *p
	cut.Cut, cut.Documents, cut.Visibility, cut.VisibilityAt = true, nil, nil, 0
	for people := maxPeople; ; people /= 2 {
		cut.Roles = firstOf(p.Roles, people, func(r *role) *[]signer { return &r.Signers })
		if encoded, err = encodePolicy(&cut); err != nil || len(encoded) <= maxPolicy || people == 0 {
			return &cut, err
		}
	}
}
