package signing

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// consentID is the document that every package has in addition to the uploaded ones.
const (
	consentID   = "default-consent"
	consentName = "Electronic Disclosures and Signatures Consent"
)

var consentPDF = pdf.Text(consentName, "", "You agree to receive this package, and to sign it, electronically.")

// nobodyAccepted is the data of a consent document that nobody has accepted: an SDK looks
// for the member in it, and fails on a null.
var nobodyAccepted = jsontext.Value(`{}`)

// acceptance is the data of the consent document: the ids of those who have accepted it,
// separated by commas (docs/platform.md S4).
type acceptance struct {
	Signers string `json:"esl_doc_accepted_by_signers"`
}

// acceptedBy returns the ids of the signers who have accepted the document.
func (d document) acceptedBy() []string {
	var data acceptance
	if !wire.Given(d.Data) || json.Unmarshal(d.Data, &data) != nil || data.Signers == "" {
		return nil
	}
	return strings.Split(data.Signers, ",")
}

// acceptConsent records that a signer has accepted the consent document, if the package
// still has it.
func (p *pkg) acceptConsent(signerID string) {
	d, err := p.document(consentID)
	if err != nil || signerID == "" {
		return
	}
	by := d.acceptedBy()
	if slices.Contains(by, signerID) {
		return
	}
	id, err := jsontext.AppendQuote(nil, strings.Join(append(by, signerID), ","))
	if err == nil {
		d.Data = jsontext.Value(`{"esl_doc_accepted_by_signers":` + string(id) + `}`)
	}
}
