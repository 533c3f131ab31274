package signing_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"testing"
)

// sdk sends the requests of the official Java SDK, in its form and order, and checks the
// answers as the SDK does (docs/platform.md S3, S14).
type sdk struct{ client }

// createPackage makes a draft without documents, and uploads them, if any, in one
// request.
func (s sdk) createPackage(payload object, documents ...object) string {
	s.t.Helper()
	path := s.create(payload)
	s.read(path)
	if len(documents) > 0 {
		s.uploadDocuments(path, documents...)
	}
	return path
}

// uploadDocuments sends an array with a file for each document, and then reads the
// package once for each.
func (s sdk) uploadDocuments(path string, documents ...object) {
	s.t.Helper()
	body, media := s.form(documents, make([]string, len(documents))...)
	a := s.send("POST", path+"/documents", media, body)
	var made []any
	if err := json.Unmarshal([]byte(a.text), &made); err != nil || a.status != 200 || len(made) != len(documents) {
		s.t.Fatalf("%d %s (%v)", a.status, a.text, err)
	}
	s.read(path)
}

// form returns multipart as the SDK writes it: the payload is plain text without a file
// name; a file of "" is an empty page.
func (s sdk) form(payload any, files ...string) (*bytes.Buffer, string) {
	s.t.Helper()
	text, err := json.Marshal(payload)
	if err != nil {
		s.t.Fatal(err)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part := func(disposition, media, encoding, content string) {
		header := textproto.MIMEHeader{"Content-Disposition": {disposition}, "Content-Type": {media}, "Content-Transfer-Encoding": {encoding}}
		p, err := w.CreatePart(header)
		if err == nil {
			_, err = p.Write([]byte(content))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	part(`form-data; name="payload"`, "text/plain; charset=UTF-8", "8bit", string(text))
	for _, content := range files {
		if content == "" {
			content = blankPDF
		}
		part(`form-data; name="file"; filename="First Document.pdf"`, "application/pdf", "binary", content)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	return &body, w.FormDataContentType()
}

// status posts {"status": …} to a package.
func (s sdk) status(path, status string) {
	s.t.Helper()
	s.post(path, object{"status": status}).empty()
}

// read returns the package; it fails the test if the SDK could not read it.
func (s sdk) read(path string) object {
	s.t.Helper()
	p := s.get(path).ok()
	s.readable("", p)
	for _, d := range p["documents"].([]any) {
		for _, a := range d.(object)["approvals"].([]any) {
			isRole := func(r any) bool { return r.(object)["id"] == a.(object)["role"] }
			if !slices.ContainsFunc(p["roles"].([]any), isRole) {
				s.t.Errorf("approval %v is of no role", a)
			}
		}
	}
	return p
}

// Members for which the SDK's model accepts no null, and members that are dates.
var (
	neverNull = strings.Fields("autocomplete created updated description documents messages roles sender status type visibility trashed " +
		"approvals extract extractionTypes externalSigned fields index pages size tagged role page subtype required disabled attachmentRequirements signers " +
		"specialTypes auth delivery signerType company email firstName lastName timezoneId userCustomFields professionalIdentityFields challenges scheme " +
		"optional enforceCaptureSignature id name question maskInput files ceremony top left width height")
	dates = strings.Fields("created updated completed due signed accepted")
)

// readable checks a whole answer recursively.
func (s sdk) readable(at string, value any) {
	s.t.Helper()
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			s.readable(at+".*", one)
		}
	case object:
		for name, member := range v {
			text, isText := member.(string)
			switch {
			case member == nil && slices.Contains(neverNull, name):
				s.t.Errorf("%s.%s is null", at, name)
			case isText && slices.Contains(dates, name) && !strings.HasSuffix(text, "Z"):
				s.t.Errorf("%s.%s is %s", at, name, text)
			case name == "id" && member == "":
				s.t.Errorf("%s.id is empty", at)
			}
			s.readable(at+"."+name, member)
		}
	}
}

// signerOf returns the first signer of the role with that e-mail address, and the role.
func signerOf(t *testing.T, p object, email string) (role, signer object) {
	t.Helper()
	for _, r := range p["roles"].([]any) {
		for _, one := range r.(object)["signers"].([]any) {
			if one.(object)["email"] == email {
				return r.(object), one.(object)
			}
		}
	}
	return nil, nil
}

// documentOf returns the document of that name.
func documentOf(p object, name string) object {
	for _, d := range p["documents"].([]any) {
		if d.(object)["name"] == name {
			return d.(object)
		}
	}
	return nil
}

// sdkRole and sdkField contain the filler that the SDK sends for unset members.
func sdkRole(id, email string, more object) object {
	signer := object{"email": email, "firstName": "John", "lastName": "Smith", "id": id, "title": "Managing Director", "company": "Acme Inc.",
		"knowledgeBasedAuthentication": nil, "delivery": object{"email": false}, "auth": object{"scheme": "NONE", "challenges": []any{}}}
	role := object{"id": id, "name": id, "index": 0, "reassign": false, "locked": false, "signers": []object{signer}}
	maps.Copy(role, more)
	return role
}

func sdkField(id, kind, subtype string, more object) object {
	field := object{"id": id, "type": kind, "subtype": subtype, "page": 0, "extract": false, "left": 100, "top": 100, "width": 200, "height": 50, "value": nil, "binding": nil, "fontSize": nil, "tooltip": nil}
	maps.Copy(field, more)
	return field
}

func sdkValidation(more object) object {
	validation := object{"required": false, "maxLength": 2147483647, "minLength": 0, "minimumRequired": 0, "maximumRequired": 0, "group": nil, "pattern": "", "errorMessage": "", "enum": nil, "disabled": false}
	maps.Copy(validation, more)
	return validation
}

// toSign returns a document with a signature field for each of the roles.
func toSign(id, name string, roles ...string) object {
	approvals := []object{}
	for _, role := range roles {
		approvals = append(approvals, object{"role": role, "optional": false, "disabled": false, "enforceCaptureSignature": false, "fromFile": false,
			"fields": []object{sdkField("", "SIGNATURE", "FULLNAME", nil)}})
	}
	return object{"id": id, "name": name, "index": 0, "extract": false, "approvals": approvals}
}
