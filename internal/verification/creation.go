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
	"countersign/internal/intake"
)

const (
	// MaxCreation is how large a payload of Create Transaction may be, in bytes.
	MaxCreation = 70 << 20
	// maxSkeleton is how much of it may stand beside its documents.
	maxSkeleton = 1 << 20
)

// Rules are what the payload of Create Transaction is held to.
type Rules struct {
	// Workflows and Brands are those allowed, the first is the default.
	Workflows, Brands []string
	// ClientMembers are those of config.ClientMembers that are not refused.
	ClientMembers []string
	// Role is that of the token where none was asked for.
	Role string
	// Origins are those that a person may be sent to.
	Origins []config.Origin
	// SpoolDir is where a long payload waits.
	SpoolDir string
	// Production refuses e-mail addresses that nobody has.
	Production bool
	// Self says that the person verifies themselves: there is exactly one user.
	Self bool
	Now  func() time.Time
}

// Creation is a checked payload of Create Transaction.
type Creation struct {
	// Own is the client's own opaque_id; "" where there is none.
	Own string

	// told is what the payload tells of people.
	told []string

	spool   *intake.Spool
	scanner *intake.Scanner
	edits   []edit
	// set is where members are set, behind the brace of the payload, and what follows
	// the opaque_id there.
	set edit
}

// edit is one change: what stands at a place of the skeleton gives way to text.
type edit struct {
	span
	text string
}

// ReadCreation reads a payload to its end and checks it, in constant memory: documents
// wait in a file without a name until Close. What is no JSON object, or has a member
// twice, is request.malformed, too long a one request.too-large; what breaks the rules
// is request.invalid with all pointers.
func ReadCreation(body io.Reader, rules Rules) (*Creation, error) {
	c := &Creation{
		spool:   &intake.Spool{Dir: rules.SpoolDir},
		scanner: &intake.Scanner{Limit: maxSkeleton, Content: content},
	}
	if err := c.read(body, rules); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// content judges documents.
func content(member string) intake.Content {
	if member == "content" {
		return new(pdfContent)
	}
	return nil
}

// Close gives back what the payload holds.
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

// readError is what became of a payload that could not be read to its end.
func readError(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok || errors.Is(err, intake.ErrTooLarge) {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return malformed(err)
}

// malformed is request.malformed, with where it was found if it was at one place.
func malformed(err error) error {
	if errors.Is(err, intake.ErrTooDeep) {
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

// Sent is a payload as it goes to the platform.
type Sent struct {
	Body   io.Reader
	Length int64
	// OpaqueID is the one in it.
	OpaqueID string

	told []string
}

// Sent is the payload with that opaque_id: byte for byte as it came, but for what was set
// or taken out.
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
