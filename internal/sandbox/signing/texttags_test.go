package signing_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/sandbox/pdf/pdftest"
)

// A text that says whose field stands there becomes one where the document asks for that,
// form fields only where it asks for them too.
func TestFieldsOfTextTags(t *testing.T) {
	c := start(t)
	const text = `BT /F 10 Tf 100 600 Td ({{esl_sig:Ada:Signature:size\(120,30\)}}) Tj 0 -50 Td ({{ * esl_iban:ADA:textfield:maxlen\(34\),value\("AT"\),offset\(7,-5\)}} {{?esl:ada:SIGNERNAME}}) Tj ` +
		`0 -50 Td ({{esl:ada:radio:group\("g"\),value\("X"\)}}) Tj 0 -50 Td ({{esl:ada:capture:size\(nan,-1\)}} {{esl:nobody:signature}} {{esl:ada:stamp}} {{esl:ada}}) Tj ET`
	file := string(pdftest.File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[6 0 R]>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		"<</T([Ada.Initials1])/FT/Tx/Subtype/Widget/Rect[100 700 300 720]>>",
	))
	for _, one := range []struct {
		types   []string
		extract bool
		want    string
	}{
		{[]string{"TEXT_TAGS"}, true, "FULLNAME+LABEL+TEXTFIELD+RADIO CAPTURE"}, {[]string{"TEXT_TAGS", "ACROFIELDS"}, true, "INITIALS FULLNAME+LABEL+TEXTFIELD+RADIO CAPTURE"},
		{[]string{"ACROFIELDS"}, true, "INITIALS"}, {nil, true, "INITIALS"}, {[]string{"TEXT_TAGS"}, false, ""},
	} {
		payload := withFields("DRAFT", one.extract)
		payload["documents"].([]object)[0]["extractionTypes"] = one.types
		path := "/api/packages/" + c.upload("POST", "/api/packages", payload, "payload file", file).ok()["id"].(string)
		d := c.get(path + "/documents/doc").ok()
		var all []string
		for _, a := range d["approvals"].([]any) {
			same(t, "role", a.(object)["role"], "ada")
			var subtypes []string
			for _, f := range a.(object)["fields"].([]any) {
				subtypes = append(subtypes, f.(object)["subtype"].(string))
			}
			all = append(all, strings.Join(subtypes, "+"))
		}
		same(t, fmt.Sprint(one.types), strings.Join(all, " "), one.want)
		if one.want == "" || len(one.types) != 1 || one.types[0] != "TEXT_TAGS" {
			continue
		}
		signature, bound, iban, radio := at(t, d, "approvals.0.fields.0").(object), at(t, d, "approvals.0.fields.1").(object), at(t, d, "approvals.0.fields.2").(object), at(t, d, "approvals.0.fields.3").(object)
		same(t, "signature", fmt.Sprint([]any{signature["name"], signature["width"], signature["height"], signature["left"], signature["extract"]}), "[sig 120 30 100 true]")
		same(t, "bound", bound["binding"], "{signer.name}")
		same(t, "input", fmt.Sprint([]any{iban["name"], iban["value"], iban["left"], iban["validation"]}), "[iban AT 107 map[maxLength:34 required:true]]")
		same(t, "radio button", fmt.Sprint([]any{radio["value"], radio["validation"]}), "[X map[enum:[g] required:false]]")
		if top := signature["top"].(float64); top < 185 || top > 200 {
			t.Errorf("the signature stands at %v", top)
		}
	}
}
