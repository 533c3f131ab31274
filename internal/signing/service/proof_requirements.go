package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/proofs"
)

// Requirement returns what is asked of a role's signer: to the owner, to operators and to the
// signer themselves, who name the role by its id; signing.not-your-role to another signer of
// the package. Role is as in roleCalled.
func (s *Service) Requirement(ctx context.Context, g index.Grant, pkg, role string) (proofs.ProofRequirement, error) {
	at, err := s.load(ctx, pkg)
	if err != nil {
		return proofs.ProofRequirement{}, err
	}
	id, ok := roleCalled(at.Package, role)
	if !ok || !canReadAllRoles(g) && id != role { // whose an address is, is not told
		return proofs.ProofRequirement{}, fault.New(fault.RequestNotFound)
	}
	if !canReadAllRoles(g) && !slices.Contains(g.Roles, role) {
		return proofs.ProofRequirement{}, fault.New(fault.SigningNotYourRole)
	}
	return at.rules[id].ProofRequirement, nil
}

// roleCalled returns the id of the role that the platform finds by a name: by the role's id,
// else by the id or the e-mail address of a signer.
func roleCalled(p signing.Package, name string) (id string, ok bool) {
	if slices.ContainsFunc(p.Roles, func(r signing.Role) bool { return r.ID == name }) {
		return name, true
	}
	for _, r := range p.Roles {
		for _, signer := range r.Signers {
			if signer.ID == name || payload.FoldAddress(signer.Email) == payload.FoldAddress(name) {
				return r.ID, true
			}
		}
	}
	return "", false
}

// Ask sets what is asked of a role's signer: anything while the package is a draft, and only
// more while it is with its signers and this one has not signed; else signing.state.
func (s *Service) Ask(ctx context.Context, who access.Actor, id, role string, asked proofs.ProofRequirement) error {
	return s.WithPackageLock(ctx, id, func(ctx context.Context) error {
		at, err := s.load(ctx, id)
		if err != nil {
			return err
		}
		role, ok := roleCalled(at.Package, role)
		if !ok {
			return fault.New(fault.RequestNotFound)
		}
		rule := at.rules[role]
		switch {
		case at.Trashed && at.Status != signing.StatusDraft, !at.SignedAt(role).IsZero():
			return fault.New(fault.SigningState)
		case at.Status == signing.StatusDraft:
			rule.ProofRequirement = asked
		case at.Status == signing.StatusSent && asked.AtLeast(rule.ProofRequirement):
			rule = rule.Tighten(asked, s.Proofs.Now())
		default:
			return fault.New(fault.SigningState)
		}
		if rule.Equal(at.rules[role].ProofRequirement) {
			at.rules[role] = rule
			return nil
		}
		at.rules[role] = rule
		own := at.Countersign
		own.Proofs = at.rules.Value()
		if err := s.write(ctx, at.Package, own); err != nil {
			return err
		}
		s.Done(ctx, who, Change{Operation: "setProofs", Package: id, Effect: Changed})
		return nil
	})
}

// RoleProofs lists the proofs behind the signature of one role.
type RoleProofs struct {
	Role  string                  `json:"role"`
	Asked proofs.ProofRequirement `json:"asked"`
	// Kept are the entries made each time the signing page opened, the newest first.
	Kept     []proofs.Entry `json:"kept"`
	SignedAt *time.Time     `json:"signedAt"`
	State    proofs.State   `json:"state"`
	// Signer is the name of the role's signer; of several, each.
	Signer string `json:"-"`
}

// ProofsOf returns what the signatures of a package stand on; to a signer, their own.
func (s *Service) ProofsOf(ctx context.Context, o Opened) ([]RoleProofs, error) {
	at, err := rulesOf(o.Full)
	if err != nil {
		return nil, err
	}
	all := s.proofsOf(ctx, at)
	if canReadAllRoles(o.Grant) {
		return all, nil
	}
	all = slices.DeleteFunc(all, func(r RoleProofs) bool { return !slices.Contains(o.Grant.Roles, r.Role) })
	for i := range all { // what an earlier signer of the role proved is not theirs to read
		all[i].Kept = slices.DeleteFunc(all[i].Kept, func(e proofs.Entry) bool { return !slices.Contains(o.Grant.Names, e.Signer) })
	}
	return all, nil
}

// proofsOf returns what every signature stands on, and tells of those that lack a proof.
func (s *Service) proofsOf(ctx context.Context, at loadedPackage) []RoleProofs {
	all, kept := []RoleProofs{}, s.Proofs.Keeper.Open(at.ID, at.Countersign.Kept)
	for _, r := range at.Roles {
		rule := at.rules[r.ID]
		if !rule.Any() && (len(r.Signers) == 0 || !at.IsAsked(r)) {
			continue
		}
		one := RoleProofs{Role: r.ID, Asked: rule.ProofRequirement, Kept: []proofs.Entry{}}
		signature := proofs.Signature{Role: r.ID, At: at.SignedAt(r.ID)}
		var names []string
		for _, signer := range r.Signers {
			signature.Signers = append(signature.Signers, payload.FoldAddress(signer.Email))
			names = append(names, signer.Name())
		}
		one.Signer = strings.Join(names, ", ")
		if !signature.At.IsZero() {
			utc := signature.At.UTC()
			one.SignedAt = &utc
		}
		for _, e := range slices.Backward(kept) {
			if e.Role == r.ID {
				one.Kept = append(one.Kept, e)
			}
		}
		if one.State = proofs.StateOf(rule, signature, kept); one.State == proofs.Unmet {
			s.tellUnmet(ctx, at.ID, one, signature)
		}
		all = append(all, one)
	}
	return all
}

// checkUnmetProofs looks at a package that was read from the platform for signatures that lack a proof,
// and tells of each once.
func (s *Service) checkUnmetProofs(ctx context.Context, p signing.Package) {
	at, err := rulesOf(p)
	if err != nil {
		s.Proofs.Log(ctx, "read what a package asks of its signers", err)
		return
	}
	if at.rules.Any() {
		s.proofsOf(ctx, at)
	}
}

// tellUnmet writes the audit event of a signature that lacks a proof, once for all nodes.
func (s *Service) tellUnmet(ctx context.Context, id string, r RoleProofs, signature proofs.Signature) {
	first, err := s.Index.FirstTime(ctx, "unmet "+id+"\x00"+r.Role+"\x00"+signature.At.UTC().Format(time.RFC3339))
	if err != nil || !first {
		if err != nil { // it is told when the package is read the next time
			s.Proofs.Log(ctx, "tell of a signature without a proof", err)
		}
		return
	}
	text, err := json.Marshal(struct {
		Role     string                  `json:"role"`
		Signer   string                  `json:"signer"`
		SignedAt time.Time               `json:"signedAt"`
		Asked    proofs.ProofRequirement `json:"asked"`
	}{r.Role, strings.Join(signature.Signers, ", "), signature.At.UTC(), r.Asked}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		s.Proofs.Log(ctx, "tell of a signature without a proof", err)
		return
	}
	s.Proofs.Record(ctx, audit.Event{Kind: audit.SigningUnmet, Subject: id, Proof: audit.Proof(text)})
}
