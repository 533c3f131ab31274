package index

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

	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/platform"
)

// platformPackage decodes the members of a package that the policy depends on.
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
	Data      jsontext.Value     `json:"data"` // anyone's, of any JSON type

	Description string `json:"description"`
}

type platformRole struct {
	ID      string           `json:"id"`
	Type    string           `json:"type"`
	Signers []platformSigner `json:"signers"`
	Files   []platformFiles  `json:"attachmentRequirements"`
}

// platformFiles is a file that a role is asked to attach.
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
	Fields elements       `json:"fields"`
}

// asPlatforms skips members of an unexpected type: one is no reason to lose a package.
var asPlatforms = payload.Lenient(
	payload.Expect[platformSigner]('{'), payload.Expect[[]platformSigner]('['),
	payload.Expect[platformRole]('{'), payload.Expect[[]platformRole]('['),
	payload.Expect[platformDocument]('{'), payload.Expect[[]platformDocument]('['),
	payload.Expect[platformApproval]('{'), payload.Expect[[]platformApproval]('['),
	payload.Expect[platformFiles]('{'), payload.Expect[[]platformFiles]('['), payload.Expect[[]jsontext.Value]('['),
)

// packageAnswer is a package as the platform answered it: its policy, and its item for
// lists, which is the package without its documents' approvals; nil if it is too deep.
type packageAnswer struct {
	policy   policy
	item     []byte
	boundErr error // names the bound that the package exceeds, if any
}

// readPackage decodes a package of the platform. The error means that not even its id can
// be read.
func readPackage(value jsontext.Value) (packageAnswer, error) {
	item, deepest, err := withoutApprovals(value)
	if err != nil { // a repeated member, half a surrogate
		if value, err = payload.Tidy(value); err == nil {
			item, deepest, err = withoutApprovals(value)
		}
	}
	var p platformPackage
	if err == nil {
		err = json.Unmarshal(value, &p, asPlatforms)
	}
	switch {
	case err != nil:
		return packageAnswer{}, fmt.Errorf("access: read a package: %w", err)
	case p.ID == "" || len(p.ID) > maxID:
		return packageAnswer{}, errors.New("access: read a package: it has no id that a package can have")
	}
	out, sum := packageAnswer{policy: p.policy(), item: item, boundErr: p.boundError(item, deepest)}, sha256.Sum256(item)
	out.policy.Digest = sum[:16]
	if deepest > platform.MaxNested {
		out.item = nil
	}
	return out, nil
}

func (p *platformPackage) policy() policy {
	out := policy{
		ID: p.ID, Owner: boundedName(ownerIn(p.Data)), Sender: boundedName(lower(p.Sender.Email)),
		Status: shortened(p.Status), Type: shortened(strings.ToUpper(p.Type)), Trashed: p.Trashed, Updated: shortened(p.Updated),
	}
	if out.Type == "" {
		out.Type = signing.TypePackage
	}
	if created, err := time.Parse(time.RFC3339, p.Created); err == nil {
		out.Created = created.Unix()
	}
	for _, r := range p.Roles {
		all, signed := p.approvals(r)
		kept := role{ID: r.ID, Signed: all > 0 && signed == all, Unasked: all == 0 && r.Type == signing.RoleSender}
		for _, s := range r.Signers {
			kept.Signers = append(kept.Signers, signer{ID: s.ID, Email: boundedName(lower(s.Email))})
		}
		out.Roles = append(out.Roles, kept)
	}
	for _, d := range p.Documents {
		if d.ID != signing.ConsentDocument {
			out.Documents = append(out.Documents, d.ID)
		}
	}
	return out
}

// approvals counts what the role has to sign and to attach, and how much of that is done.
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

// ownerIn returns the user whom Countersign wrote into the package's data when they
// created it.
func ownerIn(data jsontext.Value) string {
	var ours struct {
		Countersign struct {
			Owner string `json:"owner"`
		} `json:"countersign"`
	}
	if payload.Unmarshal(data, &ours) != nil {
		return "" // not an object of ours
	}
	return ours.Countersign.Owner
}

// withoutApprovals returns the package as compact JSON without the approvals of its
// documents, without a draft's form and without proofs, and how many levels it nests. The error means
// that it is not JSON that can be read.
func withoutApprovals(value jsontext.Value) (item []byte, deepest int, err error) {
	var out bytes.Buffer
	in, to := jsontext.NewDecoder(bytes.NewReader(value)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), deepest, nil
		}
		if err != nil {
			return nil, 0, err
		}
		deepest = max(deepest, in.StackDepth())
		if token.Kind() == '"' && (token.String() == "approvals" && isDocumentMember(in) || isOwnLong(in, token.String())) {
			if err := in.SkipValue(); err != nil {
				return nil, 0, err
			}
			continue
		}
		if err := to.WriteToken(token); err != nil {
			return nil, 0, err
		}
	}
}

// isOwnLong reports whether name, the string that was just read, is the name of what
// Countersign keeps with a package and no list shows: a draft's form, and proofs.
func isOwnLong(in *jsontext.Decoder, name string) bool {
	switch name {
	case "form", "kept", "proofs":
		return in.StackDepth() == 3 && isName(in) && in.StackPointer() == jsontext.Pointer("/data/countersign/"+name)
	}
	return false
}

// isName reports whether the string that was just read is the name of a member.
func isName(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 1
}

// isDocumentMember reports whether the string that was just read is the name of a member
// of one of the package's documents.
func isDocumentMember(in *jsontext.Decoder) bool {
	if in.StackDepth() != 3 { // the package, its documents, one of them
		return false
	}
	return isName(in) && strings.HasPrefix(string(in.StackPointer()), "/documents/")
}
