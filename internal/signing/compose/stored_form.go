package compose

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/seal"
	"countersign/internal/signing"
)

// storedPackage is a package as the platform has it, with its documents but the platform's own.
type storedPackage struct {
	signing.Package
	origin
	Documents []signing.Document
}

// readStored reads the package with that id from the platform.
func (s *Service) readStored(ctx context.Context, id string) (storedPackage, error) {
	p, err := s.Platform.Package(ctx, id)
	if err == nil {
		err = p.Strict()
	}
	return storedOf(p), err
}

func storedOf(p signing.Package) storedPackage {
	s := storedPackage{Package: p, origin: originOf(p)}
	for _, d := range p.Documents {
		if d.ID != signing.ConsentDocument {
			s.Documents = append(s.Documents, d)
		}
	}
	return s
}

// maxForm limits a form, in bytes.
const maxForm = 1 << 20

// Keys seal forms.
type Keys struct{ sealer seal.Sealer }

// NewKeys returns keys derived from ACCESS_KEYS.
func NewKeys(keys seal.Keys) Keys { return Keys{keys.For("countersign form of a package")} }

// seal returns the form as sealed text.
func (k Keys) seal(f Form) (string, error) {
	plain, err := json.Marshal(f, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", err
	}
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err = w.Write(plain); err == nil {
		err = w.Close()
	}
	return base64.RawURLEncoding.EncodeToString(k.sealer.Seal(small.Bytes(), nil)), err
}

// open undoes seal; ok is false for a text that seal did not return.
func (k Keys) open(text string) (f Form, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || text == "" {
		return f, false
	}
	small, ok := k.sealer.Open(sealed, nil)
	if !ok {
		return f, false
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(small)), maxForm))
	ok = err == nil && json.Unmarshal(plain, &f) == nil
	for i := range f.Fields {
		f.Fields[i].updateKind()
	}
	return f, ok
}

// form returns a form for a package that has none stored: one that was created elsewhere,
// or a copy. Its keys are numbered after last.
func (s storedPackage) form(last int) Form {
	f := Form{Name: s.Name, Last: last, InOrder: inOrder(s.roles), at: s.origin}
	for _, r := range s.roles {
		f.AddRecipient()
		f.Recipients[len(f.Recipients)-1].read(r.RoleChange)
	}
	if len(f.Recipients) == 0 {
		f.AddRecipient()
	}
	for _, d := range s.Documents {
		f.addStored(d)
	}
	return f
}

// addStored adds a document of the platform with all of its fields.
func (f *Form) addStored(d signing.Document) {
	key := f.AddDocument(documentOf(d))
	for _, a := range f.at.documents[d.ID] {
		recipient := f.recipientOf(a.role)
		if len(a.fields) == 0 {
			f.Fields = append(f.Fields, Field{Key: f.key("f"), Document: key, Recipient: recipient, From: d.ID, Approval: a.id, Fixed: "-"})
		}
		for _, field := range a.fields {
			f.Fields = append(f.Fields, fieldOf(f.key("f"), field.Field, Field{Document: key, Recipient: recipient, From: d.ID}))
		}
	}
}

// recipientOf returns the key of the recipient who has that role; "" if nobody has.
func (f *Form) recipientOf(role string) string {
	for _, r := range f.Recipients {
		if r.roleID() == role {
			return r.Key
		}
	}
	return ""
}

func (r *Recipient) read(role signing.RoleChange) {
	r.ID, r.Reassign = role.ID, role.Reassign
	if role.EmailMessage != nil {
		r.Message = role.EmailMessage.Content
	}
	r.readFiles(role.Files)
	if len(role.Signers) == 0 {
		return // somebody is to be named yet
	}
	s := role.Signers[0]
	r.FirstName, r.LastName, r.Email, r.Phone = s.FirstName, s.LastName, s.Email, s.Phone
	r.BySMS = slices.Contains(s.Notify.Primary, signing.NotifyBySMS)
	r.ByEmail = len(s.Notify.Primary) == 0 || slices.Contains(s.Notify.Primary, signing.NotifyByEmail)
}

func documentOf(d signing.Document) Document {
	out := Document{ID: d.ID, Name: d.Name}
	for _, page := range d.Pages {
		out.Pages = append(out.Pages, Page(page))
	}
	return out
}

// fieldOf returns a field of the platform as a field of the form; of gives its recipient
// and document. Without a recipient, or of a kind that no form has, it is fixed.
func fieldOf(key string, from signing.Field, of Field) Field {
	of.Key, of.ID, of.Label, of.Unnamed = key, from.ID, from.Name, from.Name == ""
	var known bool
	if of.Kind, of.Shows, known = kindFor(from.Type, from.Subtype, from.Binding); !known || of.From != "" && of.Recipient == "" {
		of.Fixed = cmp.Or(from.Subtype, from.Type, "-")
	}
	of.Page, of.Left, of.Top = strconv.Itoa(from.Page+1), formatNumber(from.Left), formatNumber(from.Top)
	if from.Width > 0 && from.Height > 0 {
		of.Width, of.Height = formatNumber(from.Width), formatNumber(from.Height)
	}
	if of.Fixed == "" {
		of.readAnchor(from)
	}
	if of.Kind == customKind {
		of.Custom, of.Label = from.Name, ""
	}
	if from.Extract && from.Name != "" {
		of.Found = from.Name
	}
	if v := from.Validation; v != nil {
		of.Check, of.Pattern = checkFor(v.Pattern)
		of.Message, of.Required, of.Group = v.ErrorMessage, v.Required, v.Group
		of.MinLength, of.MaxLength = bound(v.MinLength, 0), bound(v.MaxLength, 1<<31-1)
		of.Options = strings.Join(v.Enum, "\n")
		if from.Subtype == radio && len(v.Enum) > 0 {
			of.Group = cmp.Or(v.Group, v.Enum[0])
		}
	}
	return of
}

// readAnchor takes over by which text the field is placed, if the form can place it so.
func (d *Field) readAnchor(from signing.Field) {
	a := from.Anchor
	if a == nil || a.Text == "" || from.Extract || a.CharacterIndex != 0 || a.Index < 0 || !slices.Contains([]string{"", "TOPLEFT"}, a.AnchorPoint) || a.Width <= 0 || a.Height <= 0 {
		return
	}
	d.Anchor, d.Hit, d.Right, d.Down = a.Text, strconv.Itoa(a.Index+1), formatNumber(a.LeftOffset), formatNumber(a.TopOffset)
	d.Width, d.Height = formatNumber(a.Width), formatNumber(a.Height)
	d.At = &spot{Document: d.Document, Text: a.Text, Index: a.Index, Page: from.Page, Left: from.Left - a.LeftOffset, Top: from.Top - a.TopOffset}
}

// bound returns a limit as it is typed; none is the number that the SDKs send for no
// limit.
func bound(n *int, none int) string {
	if n == nil || *n == none {
		return ""
	}
	return strconv.Itoa(*n)
}
