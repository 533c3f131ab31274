package templates

import (
	"net/url"
	"time"

	"countersign/internal/fault"
)

// MissingProofs is "/packages/{id}/sign" for a signer who lacks a proof that the package asks
// for. One of SignIn and Verify is the address that leads to it, and back to signing; both
// are "" where it cannot be had here.
type MissingProofs struct {
	Common
	ID, Name       string
	Proofs         []MissingProof
	SignIn, Verify string
}

// Href returns the path of the package's page.
func (p MissingProofs) Href() string { return PackageItem{ID: p.ID}.Href() }

// AddPasskey returns the path of the page that adds a passkey, and leads back to signing.
func (p MissingProofs) AddPasskey() string {
	return "/authenticators?" + url.Values{"next": {p.Href() + "/sign"}}.Encode()
}

// Missing returns how many of the proofs are missing.
func (p MissingProofs) Missing() (n int) {
	for _, proof := range p.Proofs {
		if !proof.Met {
			n++
		}
	}
	return n
}

// Lacks reports whether a proof of that kind is missing for one of the reasons.
func (p MissingProofs) Lacks(kind string, reasons ...string) bool {
	for _, proof := range p.Proofs {
		for _, reason := range reasons {
			if proof.Kind == kind && proof.Reason == reason {
				return true
			}
		}
	}
	return false
}

// MissingProof is a proof that the package asks for, met or not.
type MissingProof fault.Proof

// TextID returns the message id that says what is with the proof.
func (p MissingProof) TextID() string {
	if p.Met {
		return proofIDs[p.Kind+" met"]
	}
	return proofIDs[p.Kind+" "+p.Reason]
}

// NameID returns the message id of the kind of proof.
func (p MissingProof) NameID() string { return proofIDs[p.Kind] }

var proofIDs = map[string]string{
	"passkey":             "page.proofs.passkey",
	"passkey met":         "page.proofs.passkey.met",
	"passkey none":        "page.proofs.passkey.none",
	"passkey stale":       "page.proofs.passkey.stale",
	"passkey synced":      "page.proofs.passkey.synced",
	"passkey unknown":     "page.proofs.passkey.unknown",
	"identity":            "page.proofs.identity",
	"identity met":        "page.proofs.identity.met",
	"identity none":       "page.proofs.identity.none",
	"identity stale":      "page.proofs.identity.stale",
	"identity erased":     "page.proofs.identity.erased",
	"identity unnamed":    "page.proofs.identity.unnamed",
	"identity other-name": "page.proofs.identity.other-name",
	"identity failed":     "page.proofs.identity.failed",
}

// PackageProofs is "/packages/{id}/proofs", which is made to be printed.
type PackageProofs struct {
	Common
	ID, Name string
	Roles    []SignatureEvidence
	// Asks says that a proof is asked of one of them.
	Asks bool
}

// Href returns the path of the package's page.
func (p PackageProofs) Href() string { return PackageItem{ID: p.ID}.Href() }

// SignatureEvidence lists the proofs behind the signature of a role. Passkey and Identity are the greatest
// allowed age of each proof, in seconds; 0 asks for none. SignedAt is zero until it is signed.
type SignatureEvidence struct {
	Signer            string
	State             string
	Passkey, Identity int64
	SignedAt          time.Time
	Kept              []KeptProof
}

// Asks reports whether a proof is asked.
func (s SignatureEvidence) Asks() bool { return s.Passkey > 0 || s.Identity > 0 }

// StateID returns the message id of the state.
func (s SignatureEvidence) StateID() string { return standIDs[s.State] }

var standIDs = map[string]string{
	"none":    "page.proofs.state-none",
	"waiting": "page.proofs.state-waiting",
	"met":     "page.proofs.state-met",
	"unmet":   "page.proofs.state-unmet",
}

// KeptProof is a proof that was kept when the signing page opened.
type KeptProof struct {
	At            time.Time
	Email         string
	Passkey       *KeptPasskey
	Identity      *KeptIdentity
	Documents     []KeptDocument
	DocumentsHash string
}

// KeptPasskey is a sign-in; Model may be "". Kind is "synced" or "device-bound"; "" if that is
// not known.
type KeptPasskey struct {
	Protocol, Model, Kind, Ceremony string
	At                              time.Time
}

// KeptIdentity is an identity check.
type KeptIdentity struct {
	Transaction, Name string
	Completed         time.Time
}

// KeptDocument is a document with SHA-256 of its PDF.
type KeptDocument struct{ Name, SHA256 string }

// Span returns a number of seconds in the largest unit that needs no fraction.
func (v View) Span(seconds int64) string {
	for _, unit := range []struct {
		id   string
		size int64
	}{{"page.proofs.days", 86400}, {"page.proofs.hours", 3600}, {"page.proofs.minutes", 60}} {
		if seconds%unit.size == 0 {
			return v.N(unit.id, int(seconds/unit.size))
		}
	}
	return v.N("page.proofs.seconds", int(seconds))
}
