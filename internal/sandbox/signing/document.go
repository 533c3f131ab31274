package signing

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// document is a document in the platform's answer (specification, part 2.2;
// docs/platform.md S4).
type document struct {
	ID              string         `json:"id"`
	Name            string         `json:"name"`
	Description     string         `json:"description"`
	Index           int            `json:"index"`
	Size            int            `json:"size"` // bytes
	Extract         bool           `json:"extract"`
	ExtractionTypes []string       `json:"extractionTypes"`
	Tagged          bool           `json:"tagged"`
	ExternalSigned  bool           `json:"externalSigned"`
	Fields          []field        `json:"fields"`
	Approvals       []approval     `json:"approvals"`
	Pages           []pageSize     `json:"pages"`
	Status          string         `json:"status"`
	Data            jsontext.Value `json:"data"`
	External        jsontext.Value `json:"external"`
	// Base64Content comes in requests, and is never answered.
	Base64Content []byte `json:"base64Content,omitempty"`

	content documentContent // of a document that is being uploaded
	named   bool            // a request has named the approvals to sign, perhaps none
}

// pageSize is a page in points.
type pageSize struct {
	ID      string  `json:"id"`
	Index   int     `json:"index"` // from 0
	Version int     `json:"version"`
	Top     float64 `json:"top"`
	Left    float64 `json:"left"`
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
}

// approval is a role's signature of a document (specification, part 2.3).
type approval struct {
	ID                      string         `json:"id"`
	Name                    string         `json:"name"`
	Role                    string         `json:"role"` // a role's id
	Optional                bool           `json:"optional"`
	Disabled                bool           `json:"disabled"`
	EnforceCaptureSignature bool           `json:"enforceCaptureSignature"`
	FromFile                bool           `json:"fromFile"`
	Tooltip                 *string        `json:"tooltip,omitzero"`
	Accepted                *date          `json:"accepted"`
	Signed                  *date          `json:"signed"`
	Data                    jsontext.Value `json:"data"`
	Fields                  []field        `json:"fields"`
}

// field is a signature or an input (specification, part 2.4).
type field struct {
	ID            string         `json:"id"`
	Name          string         `json:"name"`
	Type          string         `json:"type"`
	Subtype       string         `json:"subtype"`
	Page          int            `json:"page"` // from 0
	Extract       bool           `json:"extract"`
	Top           float64        `json:"top"`
	Left          float64        `json:"left"`
	Width         float64        `json:"width"`
	Height        float64        `json:"height"`
	Value         *string        `json:"value"`
	Binding       *string        `json:"binding"`
	FontSize      *float64       `json:"fontSize,omitzero"`
	Tooltip       *string        `json:"tooltip,omitzero"`
	Conditions    []condition    `json:"conditions,omitzero"` // that came with it; empty where they were taken away
	Validation    jsontext.Value `json:"validation"`
	ExtractAnchor jsontext.Value `json:"extractAnchor"`
	Data          jsontext.Value `json:"data"`

	// The results of conditions.
	disabled bool
	required *bool

	acceptance bool // a signature without a size: it only accepts the approval and is invisible
}

// UnmarshalJSON merges a request's members into f, and gives a new signature without a
// size the SDKs' size.
func (f *field) UnmarshalJSON(text []byte) error {
	type plain field
	made := f.Type == ""
	sent := struct {
		Width  *float64 `json:"width"`
		Height *float64 `json:"height"`
	}{}
	if err := json.Unmarshal(text, (*plain)(f)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &sent); err != nil || f.Type != typeSignature {
		return err
	}
	if made && sent.Width == nil {
		f.Width = signatureWidth
	}
	if made && sent.Height == nil {
		f.Height = signatureHeight
	}
	_, anchored := f.anchor()
	f.acceptance = f.Width == 0 && f.Height == 0 && sent.Width != nil && sent.Height != nil && !anchored && !f.Extract
	return nil
}

// completeDocuments fills in members that requests leave out, and checks that every
// approval belongs to a role.
func (p *pkg) completeDocuments(rules *wire.Rules) {
	if !slices.ContainsFunc(p.Documents, func(d document) bool { return d.ID == consentID }) {
		consent := document{ID: consentID, Name: consentName, Size: len(consentPDF), Data: nobodyAccepted}
		p.Documents, p.files[consentID] = append([]document{consent}, p.Documents...), documentContent{original: consentPDF, pdf: consentPDF}
	}
	ids := map[string]bool{}
	for i := range p.Documents {
		d, at := &p.Documents[i], "documents."+strconv.Itoa(i)
		d.complete()
		if ids[d.ID] {
			rules.Broken(at+".id", "is another document's")
		}
		ids[d.ID] = true
		for j, a := range d.Approvals {
			if !slices.ContainsFunc(p.Roles, func(r role) bool { return r.ID == a.Role }) {
				rules.Broken(at+".approvals."+strconv.Itoa(j)+".role", "is not a role of the package")
			}
		}
	}
	slices.SortStableFunc(p.Documents, func(a, b document) int { return cmp.Compare(a.Index, b.Index) })
}

// unsign removes all signatures from the document.
func (d *document) unsign() {
	if d.ID == consentID {
		d.Data = nobodyAccepted
	}
	for i := range d.Approvals {
		d.Approvals[i].Accepted, d.Approvals[i].Signed = nil, nil
	}
}

func (d *document) complete() {
	d.ID = cmp.Or(d.ID, uuid.NewString())
	d.Name = cmp.Or(d.Name, d.ID)
	d.ExtractionTypes, d.Fields, d.Pages, d.Approvals = list(d.ExtractionTypes), list(d.Fields), list(d.Pages), list(d.Approvals)
	completeFields(d.Fields)
	for i := range d.Approvals {
		a := &d.Approvals[i]
		a.Fields = list(slices.DeleteFunc(a.Fields, func(f field) bool { return f.acceptance }))
		a.ID = cmp.Or(a.ID, uuid.NewString())
		completeFields(a.Fields)
		boundFirst(a.Fields)
	}
}

// boundFirst puts inputs that the platform fills in before those that the signer does, in
// which order the SDKs' examples read them. Signatures stay where they are.
func boundFirst(fields []field) {
	var places []int
	var bound, others []field
	for i, f := range fields {
		switch {
		case f.Type != typeInput:
			continue
		case or(f.Binding) != "":
			bound = append(bound, f)
		default:
			others = append(others, f)
		}
		places = append(places, i)
	}
	for i, f := range append(bound, others...) {
		fields[places[i]] = f
	}
}

func completeFields(fields []field) {
	for i := range fields {
		f := &fields[i]
		f.ID, f.Validation = cmp.Or(f.ID, uuid.NewString()), withRequired(f.Validation)
	}
}
