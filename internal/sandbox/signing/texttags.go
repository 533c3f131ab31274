package signing

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/pdf"
)

// The values of a document's extractionTypes. Without any, form fields are extracted.
const (
	fromTextTags   = "TEXT_TAGS"
	fromFormFields = "ACROFIELDS"
)

// textTag is a text that stands where a field is to be, and says whose and which:
// {{esl_name:role:type:parameters}}. With * an input is required, with ? or nothing it
// is not.
var textTag = regexp.MustCompile(`(?i)\{\{ *([*?]?) *esl(?:_(\w+))? *: *([^:{}\r\n]+?) *: *(\w+) *(?::([^{}\r\n]*))?\}\}`)

// The parts of a tag's match.
const (
	_ = iota
	tagRequired
	tagName
	tagRole
	tagType
	tagParameters
)

// tagParameter is a parameter, such as size(200,50), and tagArgument one of its texts.
var (
	tagParameter = regexp.MustCompile(`(\w+) *\(([^()]*)\)`)
	tagArgument  = regexp.MustCompile(`"([^"]*)"`)
)

// tagged are the fields that types of tags stand for; the names are in lower case.
var tagged = map[string]field{
	"signature": {Type: typeSignature, Subtype: "FULLNAME"}, "initials": {Type: typeSignature, Subtype: "INITIALS"},
	"capture": {Type: typeSignature, Subtype: "CAPTURE"}, "mobilecapture": {Type: typeSignature, Subtype: "MOBILE_CAPTURE"},
	"textfield": {Type: typeInput, Subtype: "TEXTFIELD"}, "textarea": {Type: typeInput, Subtype: "TEXTAREA"},
	"checkbox": {Type: typeInput, Subtype: "CHECKBOX"}, "radio": {Type: typeInput, Subtype: "RADIO"},
	"list": {Type: typeInput, Subtype: "LIST"}, "label": {Type: typeInput, Subtype: "LABEL"},
	"signername": bindingTag(bindingName), "signertitle": bindingTag(bindingTitle),
	"signercompany": bindingTag(bindingCompany), "signingdate": bindingTag(bindingSigned),
}

func bindingTag(binding string) field {
	return field{Type: typeInput, Subtype: "LABEL", Binding: &binding}
}

// taggedField is the field of a tag, with its role.
type taggedField struct {
	field

	roleID string
}

// extractsFrom reports whether fields of the document are found in that way.
func (d *document) extractsFrom(kind string) bool {
	return d.Extract && (slices.Contains(d.ExtractionTypes, kind) || len(d.ExtractionTypes) == 0 && kind == fromFormFields)
}

// tagPattern returns the pattern to search for in the document's text; "" if its text
// tags are not extracted.
func (d *document) tagPattern() string {
	if !d.extractsFrom(fromTextTags) {
		return ""
	}
	return textTag.String()
}

// readTags are the fields of the tags that were found and name one of the roles.
func readTags(found []pdf.Match, roles []role) (tags []taggedField) {
	for _, one := range found {
		parts := textTag.FindStringSubmatch(one.Text)
		if parts == nil || !one.Place.Found {
			continue
		}
		i := slices.IndexFunc(roles, func(r role) bool { return r.isCalled(parts[tagRole]) })
		f, known := tagged[strings.ToLower(parts[tagType])]
		if i < 0 || !known {
			continue
		}
		if f.Binding != nil {
			own := *f.Binding // requests may write into it
			f.Binding = &own
		}
		f.read(parts)
		f.Page, f.Extract = one.Place.Page, true
		f.Left, f.Top = max(0, f.Left+one.Place.Rect.Left), max(0, f.Top+one.Place.Rect.Top)
		tags = append(tags, taggedField{f, roles[i].ID})
	}
	return tags
}

// read gives the field what its tag says of it.
func (f *field) read(parts []string) {
	f.ID, f.Name, f.Width, f.Height = uuid.NewString(), parts[tagName], signatureWidth, signatureHeight
	validation := map[string]any{}
	if f.Type == typeInput && parts[tagRequired] == "*" {
		validation["required"] = true
	}
	for _, one := range tagParameter.FindAllStringSubmatch(parts[tagParameters], -1) {
		var texts []string
		for _, text := range tagArgument.FindAllStringSubmatch(one[2], -1) {
			texts = append(texts, text[1])
		}
		x, y, _ := strings.Cut(one[2], ",")
		switch name := strings.ToLower(one[1]); {
		case name == "offset":
			f.Left, f.Top = tagNumber(x), tagNumber(y)
		case name == "size":
			f.Width, f.Height = max(0, tagNumber(x)), max(0, tagNumber(y))
		case name == "maxlen":
			validation["maxLength"] = max(0, int(tagNumber(x)))
		case name == "value" && len(texts) > 0:
			f.Value = &texts[0]
		case name == "options", name == "group":
			validation["enum"] = texts
		}
	}
	if len(validation) > 0 {
		f.Validation, _ = json.Marshal(validation, json.Deterministic(true)) // Numbers and texts always can be.
	}
}

// maxTagNumber limits the absolute value of a number in a tag.
const maxTagNumber = 10_000

// tagNumber returns a number of a tag; 0 if the text is no number or is too large.
func tagNumber(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if near := math.Abs(n) <= maxTagNumber; err != nil || !near { // NaN is not.
		return 0
	}
	return n
}

// extractTags makes approvals of the tags' signatures. Inputs go with the first
// signature of their role.
func (d *document) extractTags(tags []taggedField) {
	first := map[string]int{}
	begin := func(roleID string) *approval {
		if _, known := first[roleID]; !known {
			first[roleID] = len(d.Approvals)
		}
		d.Approvals = append(d.Approvals, approval{ID: uuid.NewString(), Role: roleID})
		return &d.Approvals[len(d.Approvals)-1]
	}
	for _, tag := range tags {
		if tag.Type == typeSignature {
			a := begin(tag.roleID)
			a.Fields = append(a.Fields, tag.field)
		}
	}
	for _, tag := range tags {
		if tag.Type != typeInput {
			continue
		}
		if _, known := first[tag.roleID]; !known {
			begin(tag.roleID)
		}
		a := &d.Approvals[first[tag.roleID]]
		a.Fields = append(a.Fields, tag.field)
	}
}
