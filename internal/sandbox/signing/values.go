package signing

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/pdf"
)

// The values of a field's type.
const (
	typeSignature = "SIGNATURE"
	typeInput     = "INPUT"
)

// The bindings of fields that the platform fills in.
const (
	bindingSigned  = "{approval.signed}"
	bindingName    = "{signer.name}"
	bindingTitle   = "{signer.title}"
	bindingCompany = "{signer.company}"
)

// bound are the values that the platform gives fields (specification, part 2.4).
func bound(binding string, by signer, at time.Time) string {
	switch binding {
	case bindingSigned:
		return at.Format(time.DateOnly)
	case bindingName:
		return by.Name
	case bindingTitle:
		return by.Title
	case bindingCompany:
		return by.Company
	default:
		return ""
	}
}

// fill gives a field that is being signed its value if the platform decides it.
func (f *field) fill(by signer, at time.Time) {
	value := ""
	switch {
	case f.Binding != nil && *f.Binding != "":
		value = bound(*f.Binding, by, at)
	case f.Type == typeInput && f.Subtype == "DATE":
		value = at.Format(time.DateOnly)
	default:
		return
	}
	f.Value = &value
}

// customValue returns the value of a custom field for a signer: their own, else the
// account's.
func (s *Server) customValue(by signer, id string) (value string, ok bool) {
	for _, one := range by.UserCustomFields {
		var own struct {
			ID    string  `json:"id"`
			Value *string `json:"value"`
		}
		if json.Unmarshal(one, &own) == nil && own.ID == id && own.Value != nil {
			return *own.Value, true
		}
	}
	_ = s.fields.act(func(fields map[string]customField) { // without custom fields there is no value
		if f, known := fields[id]; known && f.Value != nil {
			value, ok = *f.Value, true
		}
	})
	return value, ok
}

// drawingPrefix begins the value of a drawn signature: JSON follows, an array of strokes,
// each an array of points [x, y] between 0,0 at the top left and 1,1 at the bottom right
// of the field.
const drawingPrefix = "drawing:"

func parseDrawing(value string) (strokes [][]pdf.Point, ok bool) {
	text, ok := strings.CutPrefix(value, drawingPrefix)
	var points [][][2]float64
	if !ok || json.Unmarshal([]byte(text), &points) != nil {
		return nil, false
	}
	for _, stroke := range points {
		var line []pdf.Point
		for _, p := range stroke {
			line = append(line, pdf.Point{X: min(max(p[0], 0), 1), Y: min(max(p[1], 0), 1)})
		}
		strokes = append(strokes, line)
	}
	return strokes, len(strokes) > 0
}
