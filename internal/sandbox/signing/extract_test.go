package signing_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// contract returns a PDF of two pages, the second one turned, with form fields and the
// text "Sign here" in each.
func contract() string { return contractNaming("person.name", "seal") }

func contractNaming(first, second string) string {
	const text = "BT /F 10 Tf 100 600 Td (Sign here, then) Tj 0 -50 Td (Sign here) Tj ET"
	return string(pdftest.File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R 8 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 600 800]/Resources<</Font<</F 6 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Annots[7 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/Annots[8 0 R]>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</T("+first+")/FT/Tx/Subtype/Widget/Rect[100 700 300 720]>>",
		"<</T("+second+")/FT/Sig/Subtype/Widget/Rect[100 100 300 150]>>",
	))
}

func anchored(anchor object) object {
	anchor["width"], anchor["height"] = 80, 30
	return object{"type": "SIGNATURE", "subtype": "FULLNAME", "extractAnchor": anchor}
}

// withFields returns the payload of a package with these fields, each in an approval of
// its own.
func withFields(status string, extract bool, fields ...object) object {
	var approvals []object
	for _, f := range fields {
		approvals = append(approvals, object{"role": "ada", "fields": []object{f}})
	}
	return object{"name": "Loan", "status": status, "roles": []object{signerRole("ada", "ada@example.org")},
		"documents": []object{{"id": "doc", "name": "Contract", "extract": extract, "approvals": approvals}}}
}

func TestExtraction_PlacesOfFields(t *testing.T) {
	c := start(t)
	path := c.packaged(withFields("DRAFT", true,
		object{"type": "INPUT", "subtype": "TEXTFIELD", "extract": true, "name": "person.name"},
		object{"type": "SIGNATURE", "subtype": "CAPTURE", "extract": true, "name": "seal"},
		object{"type": "INPUT", "subtype": "TEXTFIELD", "extract": true, "name": "nowhere", "top": 1},
		object{"type": "INPUT", "subtype": "TEXTFIELD", "name": "person.name", "top": 5, "left": 6, "width": 7, "height": 8, "page": 1},
		anchored(object{"text": "Sign here", "anchorPoint": "TOPLEFT"}),
		anchored(object{"text": "Sign here", "index": 1, "characterIndex": 5, "anchorPoint": "TOPRIGHT", "leftOffset": -10, "topOffset": -20}),
		anchored(object{"text": "Sign here", "anchorPoint": "BOTTOMRIGHT", "leftOffset": 5}),
		anchored(object{"text": "Sign here", "anchorPoint": "BOTTOMLEFT", "topOffset": 2}),
		anchored(object{"text": "Nowhere", "anchorPoint": "TOPLEFT"}),
	), contract())
	d := c.get(path + "/documents/doc").ok()
	same(t, "pages", fmt.Sprint(at(t, d, "pages.0.width"), at(t, d, "pages.1.width"), at(t, d, "pages.1.height"), len(d["pages"].([]any))), "600 800 600 2")
	for i, want := range [][5]float64{
		{0, 100, 80, 200, 20}, {1, 100, 100, 50, 200}, {0, 0, 1, 0, 0}, {1, 6, 5, 7, 8},
		{0, 100, 192.82, 80, 30}, {0, 118.35, 222.82, 80, 30}, {0, 111.67, 202.07, 80, 30}, {0, 100, 204.07, 80, 30}, {0, 0, 0, 80, 30},
	} {
		f := at(t, d, fmt.Sprintf("approvals.%d.fields.0", i)).(object)
		for j, member := range []string{"page", "left", "top", "width", "height"} {
			if got, _ := f[member].(float64); got-want[j] > 0.5 || want[j]-got > 0.5 {
				t.Errorf("field %d: %s is %v, want %v", i, member, f[member], want[j])
			}
		}
	}
	again := c.upload("POST", path+"/documents", object{"id": "plain", "extract": false, "approvals": []object{{"role": "ada", "fields": []object{
		{"type": "INPUT", "subtype": "TEXTFIELD", "extract": true, "name": "person.name"}}}}}, "payload file", contract()).ok()
	same(t, "without extraction of the document", at(t, again, "approvals.0.fields.0.left"), 0)
}

// A tagged PDF, which screen readers can read, is said to be one.
func TestDocument_TaggedPDF(t *testing.T) {
	c := start(t)
	draft := c.create(object{"name": "a"})
	for id, tagged := range map[string]bool{"plain": false, "tagged": true} {
		file := contract()
		if tagged {
			file = strings.Replace(file, "<</Type/Catalog", "<</MarkInfo<</Marked true>>/Type/Catalog", 1)
		}
		got := c.upload("POST", draft+"/documents", object{"id": id}, "payload file", file).ok()
		same(t, id, got["tagged"], tagged)
	}
}

// Form fields that say whose they are become approvals.
func TestExtraction_FieldsNamedAfterSigners(t *testing.T) {
	c := start(t)
	file := contractNaming("[Ada.Fullname1.Textfield1]", "[ADA.fullname1]")
	path := c.packaged(withFields("SENT", true), file)
	d := c.get(path + "/documents/doc").ok()
	same(t, "role", at(t, d, "approvals.0.role"), "ada")
	same(t, "input", at(t, d, "approvals.0.fields.0.subtype"), "TEXTFIELD")
	same(t, "signature", at(t, d, "approvals.0.fields.1.subtype"), "FULLNAME")
	same(t, "approvals", len(d["approvals"].([]any)), 1)
	id := at(t, d, "approvals.0.fields.0.id").(string)
	finished := c.signed(path, object{id: "typed"})
	for _, p := range where(t, finished, "typed", "Ada Lovelace") {
		if !p.Found {
			t.Error("a value is not in the document")
		}
	}
	draft := c.create(object{"name": "a"})
	bound := c.upload("POST", draft+"/documents", object{"id": "x", "extract": true}, "payload file", contractNaming("[Owner.Capture1.Label1.Date]", "[Nobody.Fullname1]")).ok()
	same(t, "binding", at(t, bound, "approvals.0.fields.0.binding"), "{approval.signed}")
	same(t, "approvals", len(bound["approvals"].([]any)), 1)
	braced := c.upload("POST", draft+"/documents", object{"id": "z", "extract": true}, "payload file",
		contractNaming("[Owner.Capture1.Label1.{signer.title}]", "[Owner.Capture1.Label2.{signer.age}]")).ok()
	same(t, "a binding as JSON has it", at(t, braced, "approvals.0.fields.0.binding"), "{signer.title}")
	same(t, "a binding that nobody knows", at(t, braced, "approvals.0.fields.1.binding"), nil)
	plain := c.upload("POST", draft+"/documents", object{"id": "y"}, "payload file", file).ok()
	same(t, "without extraction", len(plain["approvals"].([]any)), 0)
}

// signed returns the finished document of a package that Ada has signed.
func (c client) signed(path string, values object) string {
	c.t.Helper()
	var fields []object
	for id, value := range values {
		fields = append(fields, object{"id": id, "value": value})
	}
	c.as(path, "ada").post(path+"/documents/signConfirm", object{"id": "doc", "approvals": []object{{"fields": fields}}}).empty()
	same(c.t, "status", c.get(path).ok()["status"], "COMPLETED")
	return c.get(path + "/documents/doc/pdf").text
}

// where returns the positions of texts in a PDF.
func where(t *testing.T, file string, texts ...string) []pdf.Place {
	t.Helper()
	var anchors []pdf.Anchor
	for _, text := range texts {
		anchors = append(anchors, pdf.Anchor{Text: text})
	}
	d, err := pdftest.Workers().Read(t.Context(), []byte(file), anchors)
	if err != nil {
		t.Fatal(err)
	}
	return d.Places
}

func TestFinishedDocument_ContainsValues(t *testing.T) {
	c := start(t)
	c.post("/api/account/customfields", object{"id": "policy", "value": "P-4711", "translations": []object{{"name": "Policy"}}}).ok()
	at := func(f object, top int) object {
		f["left"], f["top"], f["width"], f["height"] = 50, top, 200, 20
		return f
	}
	path := c.packaged(withFields("SENT", true,
		object{"id": "name", "type": "INPUT", "subtype": "TEXTFIELD", "extract": true, "name": "person.name"},
		object{"id": "sign", "type": "SIGNATURE", "subtype": "FULLNAME", "extract": true, "name": "seal"},
		at(object{"id": "policy", "type": "INPUT", "subtype": "CUSTOMFIELD", "name": "policy"}, 400),
		at(object{"id": "tick", "type": "INPUT", "subtype": "CHECKBOX"}, 430),
		at(object{"id": "by", "type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}"}, 460),
		at(object{"id": "drawn", "type": "SIGNATURE", "subtype": "CAPTURE"}, 490),
	), contract())
	before := c.get(path + "/documents/doc/pdf").text
	same(t, "before anybody signs", strings.HasPrefix(before, contract()) && len(before) < len(contract())+40, true)
	finished := c.signed(path, object{"name": "Zoë (1)", "tick": "X", "drawn": "drawing:[[[0,0],[1,1]]]"})
	for i, want := range []struct {
		text       string
		page       int
		left, top  float64
		width, low float64
	}{
		{"Zoë (1)", 0, 100, 80, 200, 100}, {"Ada Lovelace", 0, 50, 460, 200, 480}, {"P-4711", 0, 50, 400, 200, 420}, {"X", 0, 50, 430, 200, 450},
	} {
		p := where(t, finished, want.text)[0]
		if !p.Found || p.Page != want.page || p.Rect.Left < want.left || p.Rect.Left > want.left+want.width || p.Rect.Top < want.top || p.Rect.Top+p.Rect.Height > want.low {
			t.Errorf("%d: %s stands at %+v", i, want.text, p)
		}
	}
	same(t, "original", c.get(path+"/documents/doc/original").text, contract())
	for _, line := range c.getList(path + "/fieldSummary") {
		if line.(object)["fieldId"] == "policy" && line.(object)["fieldValue"] != "P-4711" {
			t.Errorf("%v", line)
		}
	}
	archive := c.get(path + "/documents/zip").text
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil || len(z.File) != 2 || z.File[1].UncompressedSize64 != uint64(len(finished)) {
		t.Errorf("%v %v", z.File, err)
	}
}

func TestValues_BreakValidationRules(t *testing.T) {
	c := start(t)
	input := func(validation object) object {
		return object{"id": "f", "type": "INPUT", "subtype": "TEXTFIELD", "left": 1, "top": 1, "validation": validation}
	}
	for name, one := range map[string]struct {
		validation object
		value      any
		message    string
	}{
		"required":      {object{"required": true, "errorMessage": "Fill me."}, "", "Fill me."},
		"not given":     {object{"required": true}, nil, "This field is required."},
		"pattern":       {object{"pattern": `^(?=.*\d)[a-z\d]+$`, "errorMessage": "Letters and a digit."}, "abc", "Letters and a digit."},
		"too short":     {object{"minLength": 3}, "ab", "This is too short."},
		"too long":      {object{"maxLength": 2, "minLength": 0}, "äöü", "This is too long."},
		"right":         {object{"pattern": `^(?=.*\d)[a-z\d]+$`, "required": true, "maxLength": 2147483647}, "a1", ""},
		"not required":  {object{"pattern": "^a$", "minLength": 3, "required": false}, "", ""},
		"filler of SDK": {object{"maxLength": 2147483647, "minLength": 0, "pattern": "", "enum": []string{}, "errorCode": 0, "group": nil}, "x", ""},
	} {
		path := c.packaged(withFields("SENT", false, input(one.validation)), contract())
		a := c.as(path, "ada").post(path+"/documents/signConfirm", object{"id": "doc", "approvals": []object{{"fields": []object{{"id": "f", "value": one.value}}}}})
		if one.message == "" {
			a.empty()
			continue
		}
		a.refused(http.StatusBadRequest, "error.validation.field.invalidValue")
		if !strings.Contains(a.text, one.message) {
			t.Errorf("%s: %s", name, a.text)
		}
		same(t, name, c.get(path).ok()["status"], "SENT")
	}
}

func TestDocuments_NotPDF(t *testing.T) {
	c := start(t)
	var docx bytes.Buffer
	z := zip.NewWriter(&docx)
	part, err := z.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte(`<w:document xmlns:w="w"><w:p><w:r><w:t>First words</w:t></w:r></w:p><w:p/></w:document>`))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for extension, one := range map[string]struct{ content, shows string }{
		".txt": {"First words\r\nof many", "First words"}, ".docx": {docx.String(), "First words"},
		".rtf": {`{\rtf1 x}`, "made by a word processor"}, ".doc": {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "made by a word processor"},
	} {
		payload := object{"name": "a", "documents": []object{{"id": "doc", "name": "d", "base64Content": base64.StdEncoding.EncodeToString([]byte(one.content))}}}
		path := c.create(payload)
		if p := where(t, c.get(path+"/documents/doc/pdf").text, one.shows)[0]; !p.Found {
			t.Errorf("%s: %q is not shown", extension, one.shows)
		}
		original := c.get(path + "/documents/doc/original")
		same(t, extension, original.text, one.content)
		if disposition := original.header.Get("Content-Disposition"); !strings.HasSuffix(disposition, "d"+extension) {
			t.Errorf("%s: %s", extension, disposition)
		}
	}
	broken := strings.Replace(contract(), "/Kids[3 0 R 4 0 R]", "/Kids[2 0 R 2 0 R]", 1)
	broken = strings.NewReplacer("<</Type/Page/", "<</Type/Other/").Replace(broken)
	a := c.upload("POST", "/api/packages", withFields("DRAFT", true), "payload file", broken)
	a.refused(http.StatusBadRequest, "error.validation.document.unreadable")
	if !strings.Contains(a.text, "The document Contract cannot be used: the file is damaged.") {
		t.Error(a.text)
	}
}
