package verification

import (
	"errors"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/payload"
)

const (
	// MaxCreation limits the payload of Create Transaction, in bytes.
	MaxCreation = 70 << 20
	// maxSkeleton limits the payload without the contents of documents, in bytes.
	maxSkeleton = 1 << 20
)

// Rules are the installation's rules for the payload of Create Transaction.
type Rules struct {
	// Workflows and Brands list the allowed ids; the first is the default.
	Workflows, Brands []string
	// ClientMembers are the members of config.ClientMembers that clients may send.
	ClientMembers []string
	// Role is the role of the only token that is made if the payload asks for none.
	Role string
	// Origins are the origins to which a person may be redirected afterwards.
	Origins []config.Origin
	// SpoolDir is the directory of the file that holds a long payload.
	SpoolDir string
	// Production refuses e-mail addresses under reserved domains.
	Production bool
	// Self says that the person verifies themselves, which takes exactly one user.
	Self bool
	Now  func() time.Time
}

// Creation is a checked payload of Create Transaction.
type Creation struct {
	// Own is the client's own opaque_id, "" if it sent none.
	Own string

	// personal holds the strings about people, which must not appear in logs.
	personal []string

	spool   *payload.Spool
	scanner *payload.Scanner
	edits   payload.Edits
	// set follows the opaque_id that is inserted at begin in the skeleton.
	set   string
	begin int
}

// ReadCreation reads a payload to its end and checks it in constant memory. Documents are
// kept in an unlinked file until Close. The error is request.malformed if the payload is
// not a JSON object or has a member twice, request.too-large, or request.invalid with a
// pointer for each violation.
func ReadCreation(body io.Reader, rules Rules) (*Creation, error) {
	c := &Creation{
		spool:   &payload.Spool{Dir: rules.SpoolDir},
		scanner: &payload.Scanner{Limit: maxSkeleton, Content: content},
	}
	if err := c.read(body, rules); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// content returns the checker that a member's text passes through; nil unless the member
// is called content, as in documents.
func content(member string) payload.Content {
	if member == "content" {
		return new(pdfContent)
	}
	return nil
}

// Close removes the spooled payload.
func (c *Creation) Close() { c.spool.Close() }

func (c *Creation) read(body io.Reader, rules Rules) error {
	skeleton, _, err := payload.Read(io.TeeReader(body, c.spool), c.scanner)
	if err != nil {
		return payload.ReadFailed(err, payload.Malformed)
	}
	e := &examination{Rules: rules, creation: c}
	whole, err := object(&e.Violations, skeleton)
	if err != nil {
		return err
	}
	e.examine(whole)
	return e.Err()
}

// object returns the object that a well-formed text holds; any other value is
// request.malformed.
func object(violations *payload.Violations, text jsontext.Value) (payload.Object, error) {
	if text.Kind() != '{' {
		return payload.Object{}, payload.Malformed(errors.New("the payload is not an object"))
	}
	whole, _ := violations.Examine(text).Object()
	return whole, nil
}

// setText makes the payload carry text as a member that it has.
func (c *Creation) setText(of payload.Object, name, text string) {
	if member, ok := of.RawMember(name); ok {
		c.replace(member.Place(), quote(text))
	}
}

// replace puts text instead of a part of the skeleton.
func (c *Creation) replace(at payload.Place, text string) {
	c.edits = append(c.edits, payload.Edit{From: c.scanner.Original(at.From), To: c.scanner.Original(at.To), Text: text})
}

// Sent is a payload on its way to the platform.
type Sent struct {
	Body   io.Reader
	Length int64
	// OpaqueID is the opaque_id in Body.
	OpaqueID string
	// Personal holds the strings about people, which must not appear in logs.
	Personal []string
}

// Sent returns the payload with that opaque_id, byte for byte as it came except for
// members that were set or dropped.
func (c *Creation) Sent(opaqueID string) Sent {
	begin, size := c.scanner.Original(c.begin), c.spool.Size()
	edits := append(payload.Edits{{From: begin, To: begin, Text: `"opaque_id":` + quote(opaqueID) + c.set}}, c.edits...)
	return Sent{edits.Apply(c.spool.Section(0, size)), edits.Size(size), opaqueID, c.personal}
}
