package compose

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/safetext"
	"countersign/internal/signing"
)

// programmed returns a draft that a program has made: a role with these members beside its
// signers, and a document with these fields of it.
func programmed(t *testing.T, fields ...string) *Draft {
	t.Helper()
	return programmedAs(t, `{"id":"r","type":"SIGNER","index":0,"signers":[{"id":"s","firstName":"Ada","lastName":"Byron","email":"ada@b.co","company":"Acme"}]}`, fields...)
}

func programmedAs(t *testing.T, roles string, fields ...string) *Draft {
	t.Helper()
	text := fmt.Sprintf(`{"id":"p","name":"Lease","status":"DRAFT","language":"en","roles":[%s,{"id":"o","type":"SENDER","index":0,"signers":[]}],
		"conditions":[{"id":"c","condition":"document['d'].field['x'].value == 'a'","action":"document['d'].field['y'].disabled = true"}],
		"documents":[{"id":"d","name":"lease.pdf","index":1,"pages":[{"width":600,"height":800}],"approvals":[{"id":"a","role":"r","name":"first","enforceCaptureSignature":true,"fields":[%s]}]}]}`,
		roles, strings.Join(fields, ","))
	p, err := signing.ReadPackage(jsontext.Value(text))
	if err != nil {
		t.Fatal(err)
	}
	at := storedOf(p)
	d := &Draft{storedPackage: at, Form: at.form(0)}
	d.Form.measure(0, []Page{{Width: 600, Height: 800}})
	return d
}

func kindWords(kind string) string { return kind }

// shownAs returns what a page sends back that shows the form, without the fields that a program
// has set.
func shownAs(f *Form) map[string]string {
	f.Type(nil, kindWords)
	typed := map[string]string{"name": sentLine(f.Title())}
	if f.InOrder {
		typed["in_order"] = "yes"
	}
	for _, r := range f.Recipients {
		for name, value := range map[string]string{
			"first_name": sentLine(r.FirstName), "last_name": sentLine(r.LastName), "email": r.Email, "phone": r.Phone, "message": sentLines(r.Message), "file_name": sentLine(r.Request.Name), "file_about": sentLine(r.Request.About),
			"by_email": mark(r.ByEmail), "by_sms": mark(r.BySMS), "reassign": mark(r.Reassign), "file_required": mark(r.Request.Required),
		} {
			typed[r.Key+"."+name] = value
		}
	}
	for _, d := range f.Fields {
		if d.Fixed != "" {
			continue
		}
		width, height := d.SizeTyped()
		for name, value := range map[string]string{
			"recipient": d.Recipient, "document": d.Document, "kind": d.Kind, "check": d.Check, "pattern": sentLine(d.Pattern), "message": sentLine(d.Message), "options": sentLines(d.Options),
			"custom": d.Custom, "anchor": sentLine(d.Anchor), "shows": d.Shows, "label": sentLine(d.Label), "group": sentLine(d.Group), "min_length": d.MinLength, "max_length": d.MaxLength,
			"hit": d.Hit, "right": d.Right, "down": d.Down, "page": d.Page, "left": d.Left, "top": d.Top, "width": width, "height": height, "required": mark(d.Required),
		} {
			typed[d.Key+"."+name] = value
		}
	}
	return typed
}

// sentLine returns what a browser sends of an input of one line that shows a text, as it is read.
func sentLine(text string) string {
	return safetext.Prose(strings.NewReplacer("\r", "", "\n", "").Replace(text))
}

// sentLines is sentLine for an input of several lines: it loses a line break at its beginning.
func sentLines(text string) string {
	text = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	return safetext.Prose(strings.ReplaceAll(text, "\n", "\r\n"))
}

func mark(on bool) string {
	if on {
		return "yes"
	}
	return ""
}

// kinds of fields that programs make, and whether a form can edit them.
var programFields = []struct {
	field string
	fixed bool
}{
	{`{"id":"x","name":"When","type":"INPUT","subtype":"DATEPICKER","page":0,"left":10.12345,"top":20,"width":100,"height":20,"validation":{"pattern":"dd/MM/yyyy","required":true}}`, true},
	{`{"id":"x","name":"Rent","type":"INPUT","subtype":"LABEL","value":"EUR 900","page":0,"left":10,"top":20,"width":100,"height":20,"binding":null}`, true},
	{`{"id":"x","name":"Code","type":"INPUT","subtype":"QRCODE","value":"u:1","page":0,"left":10,"top":20,"width":100,"height":100}`, true},
	{`{"id":"x","name":"Seal","type":"INPUT","subtype":"SEAL","page":0,"left":10,"top":20,"width":100,"height":100}`, true},
	{`{"id":"x","name":"Logo","type":"IMAGE","page":0,"left":10,"top":20,"width":100,"height":100}`, true},
	{`{"id":"x","name":"","type":"SIGNATURE","subtype":"RAW_CAPTURE","page":0,"left":10,"top":20,"width":100,"height":100}`, true},
	{`{"id":"x","name":"","type":"SIGNATURE","subtype":"CHOOSE_SIGNATURE","page":0,"left":10,"top":20,"width":100,"height":100}`, true},
	{`{"id":"x","name":"","type":"SIGNATURE","subtype":"CAPTURE_MOBILE","page":0,"left":10,"top":20,"width":100,"height":100}`, false},
	{`{"id":"x","name":"","type":"SIGNATURE","subtype":"FULLNAME","page":0,"left":10.12345,"top":20,"width":100,"height":100,"tooltip":"Sign here"}`, false},
	{`{"id":"x","name":"Address","type":"INPUT","subtype":"TEXTAREA","value":"a\nb","fontSize":9,"tooltip":"where","data":{"k":[1,1.50]},"page":0,"left":10,"top":20,"width":100,"height":20,"validation":null}`, false},
	{`{"id":"x","name":"Rent","type":"INPUT","subtype":"TEXTFIELD","binding":"{signer.name}","page":0,"left":10,"top":20,"width":100,"height":20,"validation":{"minLength":0,"maxLength":2147483647,"pattern":"","errorCode":150,"disabled":false}}`, false},
	{`{"id":"x","name":"Which","type":"INPUT","subtype":"LIST","page":0,"left":10,"top":20,"width":100,"height":20,"validation":{"enum":[""," a","b ",""],"required":false}}`, false},
	{`{"id":"x","name":"Which","type":"INPUT","subtype":"LIST","page":0,"left":10,"top":20,"width":100,"height":20,"validation":{"enum":["","\n"," a","","a","b\r\nc ","\u202eb","  ","a"," "],"required":false}}`, false},
	{`{"id":"x","name":" Re\nnt \u202e","type":"INPUT","subtype":"TEXTFIELD","page":0,"left":10,"top":20,"width":100,"height":20,"validation":{"errorMessage":" no\nnumber ","pattern":" [a-z]+ "}}`, false},
	{`{"id":"x","name":" Yes ","type":"INPUT","subtype":"RADIO","value":"X","page":0,"left":10,"top":20,"width":14,"height":14,"validation":{"enum":[" g\r1 "]}}`, false},
	{`{"id":"x","name":"By","type":"SIGNATURE","subtype":"CAPTURE","page":0,"left":13,"top":24,"width":90,"height":20,"extractAnchor":{"text":" Ten\tant ","index":1,"characterIndex":0,"anchorPoint":"TOPLEFT","leftOffset":3,"topOffset":4,"width":90,"height":20}}`, false},
	{`{"id":"x","name":"Yes","type":"INPUT","subtype":"RADIO","value":"X","page":0,"left":10,"top":20,"width":14,"height":14,"validation":{"enum":["group-1"],"minimumRequired":1,"maximumRequired":1}}`, false},
	{`{"id":"x","name":"Yes","type":"INPUT","subtype":"CHECKBOX","page":0,"left":10,"top":20,"width":14,"height":14,"validation":{"enum":["group-1"],"group":"group-1","groupTooltip":"choose","minimumRequired":2,"maximumRequired":3}}`, false},
	{`{"id":"x","name":"Signed","type":"INPUT","subtype":"LABEL","binding":"{approval.signed}","page":0,"left":10,"top":20,"width":100,"height":20}`, false},
	{`{"id":"x","name":"iban","type":"INPUT","subtype":"CUSTOMFIELD","value":"DE","page":0,"left":10,"top":20,"width":100,"height":20}`, false},
	{`{"id":"x","name":"Sig","type":"SIGNATURE","subtype":"CAPTURE","page":0,"extract":true,"left":10,"top":20,"width":100,"height":20}`, false},
	{`{"id":"x","name":"By","type":"SIGNATURE","subtype":"CAPTURE","page":0,"left":13,"top":24,"width":90,"height":20,"extractAnchor":{"text":"Tenant","index":1,"characterIndex":0,"anchorPoint":"TOPLEFT","leftOffset":3,"topOffset":4,"width":90,"height":20}}`, false},
	{`{"id":"x","name":"By","type":"SIGNATURE","subtype":"CAPTURE","page":0,"left":13,"top":24,"width":90,"height":20,"extractAnchor":{"text":"Tenant","index":0,"characterIndex":3,"anchorPoint":"BOTTOMRIGHT","leftOffset":3,"topOffset":4,"width":90,"height":20}}`, false},
	{`{"id":"x","name":"Off","type":"INPUT","subtype":"TEXTFIELD","page":7,"left":5000,"top":20,"width":100,"height":20}`, false},
}

// A draft of a program that is saved with nothing typed stays as it is, member by member.
func TestDraft_UntouchedStays(t *testing.T) {
	for _, one := range programFields {
		for _, status := range []string{signing.StatusDraft, signing.StatusSent} {
			d := programmed(t, one.field, `{"id":"y","name":"Twin","type":"INPUT","subtype":"TEXTFIELD","page":0,"left":1,"top":2,"width":3,"height":4}`,
				`{"id":"z","name":"Twin","type":"INPUT","subtype":"TEXTFIELD","page":0,"left":1,"top":9,"width":3,"height":4}`)
			if fixed := d.Form.Fields[0].Fixed != ""; fixed != one.fixed {
				t.Errorf("%s: fixed is %v", one.field, fixed)
			}
			d.Form.Type(shownAs(&d.Form), kindWords)
			c := d.Form.compose(status)
			if becomes := c.arrangements[0]; becomes.changed || becomes.placed {
				t.Errorf("%s: it becomes %s", one.field, becomes.values())
			}
			if wrong := append(d.Form.invalidInputs(), d.Form.missing()...); len(wrong) > 0 {
				t.Errorf("%s: wrong are %v", one.field, wrong)
			}
			at, _ := d.role("r")
			if changes := at.changes(c.Roles[0]); len(changes) > 0 {
				t.Errorf("the role changes by %v", changes)
			}
			if err := c.check(signing.Context{Replaces: &d.Package}); err != nil {
				t.Errorf("%s: %v", one.field, err)
			}
		}
	}
}

// Only what was changed of a field is written, under its id; its other members stay as the
// platform has them.
func TestField_OnlyChangesWritten(t *testing.T) {
	const text = `{"id":"x","name":"Rent","type":"INPUT","subtype":"TEXTFIELD","value":"EUR 900","fontSize":9,"page":0,"left":10.12345,"top":20,"width":100,"height":20,"validation":{"required":true,"errorCode":150,"enum":["g"],"group":"g"}}`
	for _, c := range []struct{ field, input, typed, want string }{
		{text, "label", "Price", strings.Replace(text, `"Rent"`, `"Price"`, 1)},
		{text, "required", "", strings.Replace(text, `"required":true`, `"required":false`, 1)},
		{text, "left", "44", strings.Replace(text, `10.12345`, `44`, 1)},
		{text, "left", "0", strings.Replace(text, `"left":10.12345,`, ``, 1)},
		{text, "kind", "area", strings.Replace(strings.Replace(text, "TEXTFIELD", "TEXTAREA", 1), `{"required":true,"errorCode":150,"enum":["g"],"group":"g"}`, `{"required":true}`, 1)},
		{text, "max_length", "7", strings.Replace(text, `"errorCode"`, `"maxLength":7,"errorCode"`, 1)},
		{programFields[11].field, "options", "c", strings.Replace(programFields[11].field, `[""," a","b ",""]`, `["","c",""]`, 1)},
		{programFields[21].field, "right", "5", `{"id":"x","name":"By","type":"SIGNATURE","subtype":"CAPTURE","page":0,"extractAnchor":{"text":"Tenant","index":1,"characterIndex":0,"anchorPoint":"TOPLEFT","leftOffset":5,"topOffset":4,"width":90,"height":20}}`},
		{programFields[22].field, "left", "20", `{"id":"x","name":"By","type":"SIGNATURE","subtype":"CAPTURE","page":0,"left":20,"top":24,"width":90,"height":20}`},
		{programFields[8].field, "label", "Here", strings.Replace(programFields[8].field, `"name":""`, `"name":"Here"`, 1)},
	} {
		d := programmed(t, c.field)
		typed := shownAs(&d.Form)
		typed[d.Form.Fields[0].Key+"."+c.input] = c.typed
		d.Form.Type(typed, kindWords)
		becomes := d.Form.compose(signing.StatusDraft).arrangements[0]
		if !becomes.changed || len(becomes.approvals) != 1 || len(becomes.approvals[0].fields) != 1 {
			t.Errorf("%s: it becomes %s", c.input, becomes.values())
			continue
		}
		if got := becomes.approvals[0].fields[0].value; !sameJSON(string(got), c.want) {
			t.Errorf("%s: %s, want %s", c.input, got, c.want)
		}
		if whole := payload.Members(becomes.values()[0]); string(whole["id"]) != `"a"` || string(whole["enforceCaptureSignature"]) != "true" || string(whole["name"]) != `"first"` {
			t.Errorf("%s: the approval becomes %s", c.input, whole)
		}
	}
}

func sameJSON(a, b string) bool {
	one, other := jsontext.Value(a), jsontext.Value(b)
	return one.Canonicalize() == nil && other.Canonicalize() == nil && bytes.Equal(one, other)
}

// Whatever is typed into the options of a list, those that are still there stay as a program has
// set them.
func TestOptions_KeptFromProgram(t *testing.T) {
	at := []string{"", " EUR ", "", "EUR", "two\r\nlines", " ", "USD", "EUR", "\t"}
	for typed, want := range map[string][]string{
		"EUR\r\n\r\nEUR\r\ntwo\r\nlines\r\n\r\nUSD\r\nEUR": at,
		"EUR\n\nEUR\ntwo\nlines\n\nUSD\nEUR\nGBP":          {"", " EUR ", "", "EUR", "two\r\nlines", " ", "USD", "EUR", "GBP", "\t"},
		"USD\nEUR":            {"", "USD", " EUR ", "\t"},
		"EUR\nEUR\nUSD":       {"", " EUR ", "EUR", "USD", "\t"},
		" GBP \n\n\n\nEUR":    {"", "GBP", "", " ", " EUR ", "\t"},
		"two\nUSD":            {"", "two", "USD", "\t"},
		"EUR\n EUR\nEUR\nEUR": {"", " EUR ", "EUR", "EUR", "EUR", "\t"},
		"":                    {"", "\t"},
	} {
		if got := options(at, typed); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := options([]string{"", " "}, "a\n\nb"); !slices.Equal(got, []string{"", " ", "a", "b"}) {
		t.Errorf("blank ones alone: %q", got)
	}
	if got := options(nil, "\n a\n\n\nb\na "); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("a new list: %q", got)
	}
}

// Further signers of a role, the order of its signing and members that no form knows stay.
func TestRoles_UnknownMembersStay(t *testing.T) {
	role := func(id string, index int, rest string) string {
		return fmt.Sprintf(`{"id":%q,"type":"SIGNER","index":%d,"signers":[{"id":"%s1","firstName":"A","lastName":"B","email":"%s1@b.co","title":"Dr","language":"fr"},{"id":"%s2","firstName":"C","lastName":"D","email":"%s2@b.co"}]%s}`, id, index, id, id, id, id, rest)
	}
	for _, indexes := range [][]int{{0, 0, 0}, {1, 1, 1}, {1, 1, 2}, {0, 1, 1}, {3, 5, 5}, {2, 1, 1}} {
		d := programmedAs(t, strings.Join([]string{role("r", indexes[0], ""), role("q", indexes[1], `,"locked":true`), role("p", indexes[2], "")}, ","))
		typed := shownAs(&d.Form)
		d.Form.Type(typed, kindWords)
		for _, r := range d.Form.compose(signing.StatusDraft).Roles {
			at, _ := d.role(r.ID)
			if changes := at.changes(r); len(changes) > 0 {
				t.Errorf("%v: %s changes by %v", indexes, r.ID, changes)
			}
		}
		first := d.Form.Recipients[0]
		typed[first.Key+".phone"] = "+436601234567"
		d.Form.Type(typed, kindWords)
		at, _ := d.role(first.ID)
		signers, _ := at.changes(d.Form.compose(signing.StatusDraft).Roles[0])["signers"].([]jsontext.Value)
		if len(signers) != 2 || !strings.Contains(string(signers[0]), `"title":"Dr"`) || !strings.Contains(string(signers[0]), "+436601234567") || !bytes.Equal(signers[1], at.signers[1]) {
			t.Errorf("the signers become %s", signers)
		}
	}
	f := &programmedAs(t, role("r", 1, "")+","+role("q", 1, "")+","+role("p", 2, "")).Form
	f.AddRecipient()
	if got := f.order(); !slices.Equal(got, []int{1, 1, 2, 3}) {
		t.Errorf("with another one the order is %v", got)
	}
	f.Step("up:" + f.Recipients[2].Key)
	if got := f.order(); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("after a move the order is %v", got)
	}
}

// What a program changes of a field is noticed, whatever it is.
func TestField_EveryChangeNoticed(t *testing.T) {
	const field = `{"id":"x","name":"Rent","type":"INPUT","subtype":"TEXTFIELD","page":0,"left":10,"top":20,"width":100,"height":20`
	digests := map[string]bool{}
	all := []string{``, `,"value":"a"`, `,"value":null`, `,"tooltip":"t"`, `,"fontSize":9`, `,"data":{"a":1}`, `,"validation":{"minimumRequired":1}`, `,"unknown":[1]`}
	for _, more := range all {
		d := programmed(t, field+more+"}")
		digests[d.digest(d.shown())] = true
	}
	if len(digests) != len(all) {
		t.Errorf("%d changes have %d digests", len(all), len(digests))
	}
	one, other := programmed(t, field+`,"value":"a","fontSize":9}`), programmed(t, field+`,"fontSize":9.0,"value":"a"}`)
	if one.digest(one.shown()) != other.digest(other.shown()) {
		t.Error("the order of members is taken for a change")
	}
}

// A field of the form is the one that the platform has made of it, from the first save on.
func TestFields_KeepIDsOnceSaved(t *testing.T) {
	d := programmed(t, `{"id":"x","name":"Rent","type":"INPUT","subtype":"TEXTFIELD","value":"9","page":0,"left":10,"top":20,"width":100,"height":20,"validation":{"required":false}}`)
	f := &d.Form
	f.Fields = []Field{{Key: "f9", Document: f.Documents[0].Key, Recipient: f.Recipients[0].Key, Label: "Rent", Kind: "text", Page: "1", Left: "10", Top: "20", Width: "100", Height: "20"}}
	f.identify()
	if d := f.Fields[0]; d.ID != "x" || d.From != "d" || !f.untouched(d) {
		t.Errorf("the field is %+v", d)
	}
}
