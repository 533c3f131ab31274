package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/platform"
)

// platformPackage is a package as the platform answered it: its policy, and its item for
// lists, which is the package without its documents' approvals; nil if it is too deep.
type platformPackage struct {
	policy   policy
	item     []byte
	boundErr error // names the bound that the package exceeds, if any
}

// readPackage makes a record of a package of the platform. The error means that it has no id, or
// is no JSON that every reader takes.
func readPackage(p signing.Package) (platformPackage, error) {
	item, deepest, err := withoutApprovals(p.Raw())
	if err != nil { // a repeated member, half a surrogate
		var value jsontext.Value
		if value, err = payload.Tidy(p.Raw()); err == nil {
			item, deepest, err = withoutApprovals(value)
		}
	}
	switch {
	case err != nil:
		return platformPackage{}, fmt.Errorf("index: read a package: %w", err)
	case p.ID == "" || len(p.ID) > maxID:
		return platformPackage{}, errors.New("index: read a package: the id is invalid")
	}
	out, sum := platformPackage{policy: policyOf(p), item: item, boundErr: boundError(p, item, deepest)}, sha256.Sum256(item)
	out.policy.Digest = sum[:16]
	if deepest > platform.MaxNested {
		out.item = nil
	}
	return out, nil
}

func policyOf(p signing.Package) policy {
	out := policy{
		ID: p.ID, Owner: boundedName(p.Countersign.Owner), Sender: boundedName(lower(p.Sender.Email)),
		AsksProofs: len(p.Countersign.Proofs) > 0,
		Status:     shortened(p.Status), Type: shortened(strings.ToUpper(p.Type)), Trashed: p.Trashed, Updated: shortened(p.Updated.Text),
	}
	if out.Type == "" {
		out.Type = signing.TypePackage
	}
	if !p.Created.IsZero() {
		out.Created = p.Created.Unix()
	}
	for _, r := range p.Roles {
		all, signed := p.Tasks(r)
		kept := role{ID: r.ID, Signed: all > 0 && signed == all, NothingToSign: all == 0 && r.Type == signing.RoleSender}
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
