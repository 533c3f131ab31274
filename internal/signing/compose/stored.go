package compose

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/seal"
	"countersign/internal/signing"
)

// stored is a package as the platform has it.
type stored struct {
	signing.Package
	// Roles are those of its recipients, and Documents those of its sender, as they are written.
	Roles     []signing.RoleChange
	Documents []signing.Document
}

// readStored reads the package with that id from the platform.
func (s *Service) readStored(ctx context.Context, id string) (stored, error) {
	p, err := s.Platform.Package(ctx, id)
	if err == nil {
		err = p.Strict()
	}
	return storedOf(p), err
}

func storedOf(p signing.Package) stored {
	s := stored{Package: p}
	for _, d := range p.Documents {
		if d.ID != signing.ConsentDocument {
			s.Documents = append(s.Documents, d.Written())
		}
	}
	for _, r := range p.Roles {
		if r.Type != signing.RoleSender {
			s.Roles = append(s.Roles, r.Change())
		}
	}
	return s
}

// sameRole reports whether a role of the platform equals the form's.
func sameRole(at, wanted signing.RoleChange) bool {
	at.Name, at.Type, at.Signers = wanted.Name, wanted.Type, slices.Clone(at.Signers)
	if len(at.Signers) > 0 {
		at.Signers[0].ID = ""
	}
	if at.EmailMessage != nil && at.EmailMessage.Content == "" {
		at.EmailMessage = nil
	}
	return reflect.DeepEqual(at, wanted)
}

// sameApprovals reports whether the approvals of a document of the platform equal the form's.
func (s stored) sameApprovals(wanted signing.Document) bool {
	i := slices.IndexFunc(s.Documents, func(at signing.Document) bool { return at.ID == wanted.ID })
	return i >= 0 && slices.EqualFunc(s.Documents[i].Approvals, wanted.Approvals, func(a, b signing.Approval) bool {
		return a.Role == b.Role && slices.EqualFunc(a.Fields, b.Fields, func(a, b signing.Field) bool { return reflect.DeepEqual(a, b) })
	})
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
func (s stored) form(last int) Form {
	f := Form{Name: s.Name, Last: last}
	keys := map[string]string{}
	for _, r := range s.Roles {
		keys[r.ID] = f.AddRecipient()
		f.Recipients[len(f.Recipients)-1].read(r)
		f.InOrder = f.InOrder || r.Index > 0 && len(s.Roles) > 1 && r.Index != s.Roles[0].Index
	}
	if len(f.Recipients) == 0 {
		f.AddRecipient()
	}
	for _, d := range s.Documents {
		key := f.AddDocument(documentOf(d))
		for _, a := range d.Approvals {
			for _, field := range a.Fields {
				f.Fields = append(f.Fields, fieldOf(f.key("f"), field, Field{Document: key, Recipient: keys[a.Role]}))
			}
		}
	}
	return f
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
// and document.
func fieldOf(key string, from signing.Field, of Field) Field {
	of.Key, of.Label = key, from.Name
	of.Kind, of.Shows = kindFor(from.Type, from.Subtype, from.Binding)
	of.Page, of.Left, of.Top = strconv.Itoa(from.Page+1), formatNumber(from.Left), formatNumber(from.Top)
	if from.Width > 0 && from.Height > 0 {
		of.Width, of.Height = formatNumber(from.Width), formatNumber(from.Height)
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
	}
	return of
}

// bound returns a limit as it is typed; none is the number that the SDKs send for no
// limit.
func bound(n *int, none int) string {
	if n == nil || *n == none {
		return ""
	}
	return strconv.Itoa(*n)
}
