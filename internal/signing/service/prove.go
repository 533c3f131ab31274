package service

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/proofs"
)

// prove returns an entry for each role, without its documents, or signing.proof.
func (s *Service) prove(ctx context.Context, who access.Actor, at loadedPackage, roles []signing.Role) ([]proofs.Entry, error) {
	now := s.Proofs.Now().UTC().Truncate(time.Second)
	entries := make([]proofs.Entry, 0, len(roles))
	for _, r := range roles {
		asked := at.rules[r.ID].ProofRequirement
		e := proofs.Entry{Role: r.ID, Signer: who.Email, At: now, Signed: !at.SignedAt(r.ID).IsZero()}
		var missing []fault.Proof
		if asked.Passkey != nil {
			proof := fault.Proof{Kind: proofs.KindPasskey, MaxAge: asked.Passkey.MaxAge}
			var err error
			if e.Passkey, proof.Reason, err = s.provedPasskey(ctx, who, *asked.Passkey, now); err != nil {
				return nil, err
			}
			missing = append(missing, proof)
		}
		if asked.Identity != nil {
			proof := fault.Proof{Kind: proofs.KindIdentity, MaxAge: asked.Identity.MaxAge}
			var err error
			if e.Identity, proof.Reason, err = s.provedIdentity(ctx, who, r, *asked.Identity); err != nil {
				return nil, err
			}
			missing = append(missing, proof)
		}
		if err := unproved(missing); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// unproved returns signing.proof if a proof has a reason why it is missing.
func unproved(all []fault.Proof) error {
	refusal := fault.New(fault.SigningProof)
	for i, proof := range all {
		all[i].Met = proof.Reason == ""
		switch {
		case all[i].Met:
		case proof.Kind == proofs.KindPasskey:
			refusal.Action = fault.ActionSignIn
		case refusal.Action == "":
			refusal.Action = fault.ActionVerify
		}
	}
	if refusal.Action == "" {
		return nil
	}
	refusal.Proofs = all
	return refusal
}

// The reasons why a proof is missing.
const (
	reasonStale     = "stale"
	reasonErased    = "erased"
	reasonUnnamed   = "unnamed"
	reasonOtherName = "other-name"
	reasonFailed    = "failed"
	reasonNone      = "none"
)

// nearest are the reasons, the nearest to a proof first.
var nearest = []string{reasonStale, reasonErased, reasonUnnamed, reasonOtherName, reasonFailed, reasonNone}

// provedPasskey returns the last sign-in by a passkey, or the reason why it is not as asked.
// Where its kind counts, an error says that the platform could not be asked for it.
func (s *Service) provedPasskey(ctx context.Context, who access.Actor, asked proofs.PasskeyRequirement, now time.Time) (*proofs.Passkey, string, error) {
	used := who.Passkey
	switch {
	case used == nil:
		return nil, reasonNone, nil
	case !asked.Allows(used.At, now):
		return nil, reasonStale, nil
	}
	p := &proofs.Passkey{Protocol: used.Protocol, At: used.At.UTC(), Ceremony: base64.RawURLEncoding.EncodeToString(used.Ceremony)}
	if used.AAID != "" {
		p.AAID, p.Kind = &used.AAID, orNil(proofs.DeviceBound)
		return p, "", nil
	}
	model, err := s.Proofs.Models.Used(ctx, who.User, used.At)
	if err != nil && asked.DeviceBound {
		return nil, "", unavailable(err)
	}
	who.LogFailure("learn the model of a passkey", err)
	p.AAGUID, p.Provider, p.Kind = orNil(model.AAGUID), orNil(model.Provider), orNil(model.Kind)
	return p, p.Lacks(asked), nil
}

// orNil returns text; nil for "", which stands for what is not known.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// provedIdentity returns the newest check that has all that is asked, or else the reason of
// the check that is nearest to it.
func (s *Service) provedIdentity(ctx context.Context, who access.Actor, r signing.Role, asked proofs.Age) (*proofs.Identity, string, error) {
	reason := reasonNone
	if s.Proofs.Checks == nil {
		return nil, reason, nil
	}
	signer := signerOf(r, who.Email)
	for c, err := range s.Proofs.Checks.Own(ctx, who.User) {
		if err != nil {
			return nil, "", unavailable(err)
		}
		lacks := c.lacks(signer, asked, s.Proofs.Now())
		if lacks == "" {
			name := c.Document.First + " " + c.Document.Last
			return &proofs.Identity{Transaction: c.Transaction, Completed: c.Completed.UTC().Truncate(time.Second), Name: name}, "", nil
		}
		if slices.Index(nearest, lacks) < slices.Index(nearest, reason) {
			reason = lacks
		}
	}
	return nil, reason, nil
}

// lacks returns the most serious reason why c does not prove the signer's identity; "" if it
// does.
func (c Check) lacks(signer proofs.Name, asked proofs.Age, now time.Time) string {
	switch {
	case !c.Passed:
		return reasonFailed
	case !c.Document.Known():
		return reasonUnnamed
	case !c.Document.Names(signer):
		return reasonOtherName
	case c.Erased:
		return reasonErased
	case !asked.Allows(c.Completed, now):
		return reasonStale
	}
	return ""
}

// signerOf returns the name of the role's signer with that e-mail address.
func signerOf(r signing.Role, email string) proofs.Name {
	for _, signer := range r.Signers {
		if payload.FoldAddress(signer.Email) == email {
			return proofs.Name{First: signer.FirstName, Last: signer.LastName}
		}
	}
	return proofs.Name{}
}
