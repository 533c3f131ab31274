package access

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// consentDocument is the platform's own document in every package; nobody hides it
// (signing facts, 2.3).
const consentDocument = "default-consent"

// platformPackage are the members of the platform's package that the policy is made of.
type platformPackage struct {
	ID        string             `json:"id"`
	Status    string             `json:"status"`
	Type      string             `json:"type"`
	Trashed   bool               `json:"trashed"`
	Created   string             `json:"created"`
	Updated   string             `json:"updated"`
	Sender    platformSigner     `json:"sender"`
	Roles     []platformRole     `json:"roles"`
	Documents []platformDocument `json:"documents"`
	Data      jsontext.Value     `json:"data"` // anybody's, and of any kind
}

type platformRole struct {
	ID      string           `json:"id"`
	Type    string           `json:"type"`
	Signers []platformSigner `json:"signers"`
	Files   []platformFiles  `json:"attachmentRequirements"`
}

// platformFiles are files that a role is asked for.
type platformFiles struct {
	Required bool             `json:"required"`
	Status   string           `json:"status"`
	Attached []jsontext.Value `json:"files"`
}

type platformSigner struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

type platformDocument struct {
	ID        string             `json:"id"`
	Approvals []platformApproval `json:"approvals"`
}

type platformApproval struct {
	Role   string         `json:"role"`
	Signed jsontext.Value `json:"signed"`
}

// lenient reads the platform's JSON as it comes: a member twice, or a text that is not
// UTF-8, is no reason to lose a package.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// told is what the platform said of a package: what decides, and the item of lists,
// which is the package without what its documents' approvals are.
type told struct {
	policy policy
	item   []byte
}

// readPackage reads the platform's package.
func readPackage(value jsontext.Value) (told, error) {
	var p platformPackage
	if err := json.Unmarshal(value, &p, lenient); err != nil {
		return told{}, fmt.Errorf("access: read a package: %w", err)
	}
	if p.ID == "" {
		return told{}, errors.New("access: read a package: it has no id")
	}
	item, err := withoutApprovals(value)
	if err != nil {
		return told{}, fmt.Errorf("access: read package %s: %w", p.ID, err)
	}
	out, sum := p.policy(), sha256.Sum256(item)
	out.Digest = sum[:16]
	return told{out, item}, nil
}

func (p *platformPackage) policy() policy {
	out := policy{
		ID: p.ID, Owner: ownerIn(p.Data), Sender: lower(p.Sender.Email),
		Status: p.Status, Type: strings.ToUpper(p.Type), Trashed: p.Trashed, Updated: p.Updated,
	}
	if out.Type == "" {
		out.Type = typePackage
	}
	if created, err := time.Parse(time.RFC3339, p.Created); err == nil {
		out.Created = created.Unix()
	}
	for _, r := range p.Roles {
		all, signed := p.approvals(r)
		kept := role{ID: r.ID, Signed: all > 0 && signed == all, Unasked: all == 0 && r.Type == "SENDER"}
		for _, s := range r.Signers {
			kept.Signers = append(kept.Signers, signer{ID: s.ID, Email: lower(s.Email)})
		}
		out.Roles = append(out.Roles, kept)
	}
	for _, d := range p.Documents {
		if d.ID != consentDocument {
			out.Documents = append(out.Documents, d.ID)
		}
	}
	return out
}

// approvals counts what the role has to sign and to attach, and what of that is done.
func (p *platformPackage) approvals(r platformRole) (all, signed int) {
	for _, f := range r.Files {
		if f.Required {
			all++
			if len(f.Attached) > 0 && f.Status != "REJECTED" {
				signed++
			}
		}
	}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			if a.Role != r.ID {
				continue
			}
			all++
			if a.Signed.Kind() == '"' {
				signed++
			}
		}
	}
	return all, signed
}

// ownerIn is the user that we wrote into a package's data when they made it.
func ownerIn(data jsontext.Value) string {
	var ours struct {
		Countersign struct {
			Owner string `json:"owner"`
		} `json:"countersign"`
	}
	if json.Unmarshal(data, &ours, lenient) != nil {
		return "" // somebody else's data
	}
	return ours.Countersign.Owner
}

// withoutApprovals is the package without the member approvals of its documents and the
// form that a draft was prepared with, without white space, and otherwise as it is.
func withoutApprovals(value jsontext.Value) ([]byte, error) {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(value), lenient), jsontext.NewEncoder(&out, lenient)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == '"' && (token.String() == "approvals" && isDocumentMember(in) || token.String() == "form" && isForm(in)) {
			if err := in.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := to.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// isForm reports whether the string that was just read names the form of a draft.
func isForm(in *jsontext.Decoder) bool {
	return in.StackDepth() == 3 && isName(in) && in.StackPointer() == "/data/countersign/form"
}

// isName reports whether the string that was just read is the name of a member.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 1
}

// isDocumentMember reports whether the string that was just read is the name of a
// member of one of the package's documents.
func isDocumentMember(in *jsontext.Decoder) bool {
	if in.StackDepth() != 3 { // the package, its documents, one of them
		return false
	}
	return isName(in) && strings.HasPrefix(string(in.StackPointer()), "/documents/")
}
