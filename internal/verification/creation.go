package verification

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/config"
	"countersign/internal/fault"
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

	// told holds the strings about people, which must not appear in logs.
	told []string

	spool   *payload.Spool
	scanner *payload.Scanner
	edits   []edit
	// set inserts members behind the opening brace; its text follows the opaque_id there.
	set edit
}

// edit replaces a part of the skeleton with text.
type edit struct {
	span
	text string
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
	_, err := io.Copy(io.MultiWriter(c.scanner, c.spool), body)
	if err != nil {
		return readError(err)
	}
	skeleton, err := c.scanner.Skeleton()
	if err != nil {
		return malformed(err)
	}
	whole, err := parse(skeleton)
	if err != nil {
		return malformed(err)
	}
	if whole.kind != '{' {
		return malformed(errors.New("the payload is no object"))
	}
	e := &examination{Rules: rules, creation: c}
	e.payload(whole)
	if len(e.fields) > 0 {
		return fault.Invalid(e.fields...)
	}
	return nil
}

// readError returns the fault for a payload that could not be read to its end.
func readError(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok || errors.Is(err, payload.ErrTooLarge) {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return malformed(err)
}

// malformed returns request.malformed, with a pointer if the fault lies at one place.
func malformed(err error) error {
	if errors.Is(err, payload.ErrTooDeep) {
		return fault.Wrap(fault.RequestMalformed, err)
	}
	field := fault.Field{Detail: "field.syntax"}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		field.Detail = "field.duplicate"
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		field.Pointer = short(string(syntactic.JSONPointer))
	}
	e := fault.Wrap(fault.RequestMalformed, err)
	e.Fields = []fault.Field{field}
	return e
}

// Sent is a payload on its way to the platform.
type Sent struct {
	Body   io.Reader
	Length int64
	// OpaqueID is the opaque_id in Body.
	OpaqueID string

	told []string
}

// Sent returns the payload with that opaque_id, byte for byte as it came except for
// members that were set or dropped.
func (c *Creation) Sent(opaqueID string) Sent {
	quoted, _ := jsontext.AppendQuote(nil, opaqueID)
	set := edit{c.set.span, `"opaque_id":` + string(quoted) + c.set.text}
	edits := append([]edit{set}, c.edits...)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var parts []io.Reader
	var at, length int64
	add := func(to int64, text string) {
		parts = append(parts, c.spool.Section(at, to-at), strings.NewReader(text))
		length += to - at + int64(len(text))
	}
	for _, e := range edits {
		add(c.scanner.Original(e.from), e.text)
		at = c.scanner.Original(e.to)
	}
	add(c.spool.Size(), "")
	return Sent{io.MultiReader(parts...), length, opaqueID, c.told}
}
