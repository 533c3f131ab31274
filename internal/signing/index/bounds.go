package index

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/signing"
)

// The bounds that Countersign's own packages keep. A package of the platform that exceeds
// one is listed all the same and named in the log.
const (
	maxDepth       = 64
	maxText        = 64 << 10
	maxDescription = 4000 // characters
	maxData        = 16 << 10
	maxPackage     = 1 << 20
	maxParts       = 100 // documents, roles
	maxFields      = 2000
)

// The bounds of a record in Redis, in bytes: maxRecord of all of it, recordOverhead of the
// bytes around policy and item, maxItem of an item before it is deflated.
const (
	maxRecord      = 16 << 10
	recordOverhead = 256
	maxItem        = 256 << 10
	// maxName limits a text in a policy, in characters.
	maxName = 255
)

// errLong is logged for a package of which the record has no item.
var errLong = errors.New("index: the record would be too long; lists read it by its id")

// boundError returns an error that names the bound which the package exceeds, nil if it
// exceeds none. item is the package's item, deepest how many levels of JSON it nests.
func boundError(p signing.Package, item []byte, deepest int) error {
	fields, ours := 0, struct {
		Countersign jsontext.Value `json:"countersign"`
	}{}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			fields += len(a.Fields)
		}
	}
	if len(p.Data) > maxData {
		_ = payload.Unmarshal(p.Data, &ours) // data may be anyone's, of any shape
	}
	switch {
	case deepest > maxDepth:
		return errors.New("index: the value has more than 64 levels")
	case len(item) > maxPackage, utf8.RuneCountInString(p.Description) > maxDescription, len(p.Data)-len(ours.Countersign) > maxData, longText(item):
		return errors.New("index: a text, its data or all of it is too long")
	case len(p.Documents) > maxParts+1, len(p.Roles) > maxParts+1, fields > maxFields: // the platform adds one of each
		return errors.New("index: the package has too many documents, roles or fields")
	}
	return nil
}

// longText reports whether item, which is JSON, has a text of more than maxText bytes.
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

// bounded returns the policy in the size that a record can hold. One that is too long lacks
// its documents, and its roles where these do not fit either, and is marked Part.
func (p *policy) bounded() (*policy, error) {
	part := *p
	for _, shorten := range []func(){
		func() { part.Part, part.Documents, part.Visibility, part.VisibilityAt = true, nil, nil, 0 },
		func() { part.Roles = nil },
	} {
		encoded, err := encodePolicy(&part)
		if err != nil || len(encoded) <= maxRecord-recordOverhead {
			return &part, err
		}
		shorten()
	}
	return &part, nil
}
