package platform

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// subjects holds the operations whose answer is an object of their path, with the placeholder
// that stands for its id. An attachment is left out, since its name may stand there.
var subjects = map[string]string{
	"getPackage": "package", "updatePackage": "package", "getRole": "role", "updateRole": "role", "unlockRole": "role",
	"getDocument": "document", "updateDocument": "document",
}

// CheckSubject returns the check of answers to op: one that names another package, role
// or document than the path may be the answer to another request. It may name none, and a
// role may be called by a signer of it.
func CheckSubject(op upstream.Operation, values map[string]string) func(body []byte) error {
	placeholder, isObject := subjects[op.Name]
	member := "id"
	if !isObject {
		placeholder, member = "package", "packageId"
	}
	asked := values[placeholder]
	if asked == "" {
		return nil
	}
	return func(body []byte) error {
		named := topText(body, member)
		if named == "" || named == asked || placeholder == "role" && hasSigner(body, asked) {
			return nil
		}
		return fmt.Errorf("the response is about another %s", placeholder)
	}
}

// hasSigner reports whether a signer of the role has that id or address.
func hasSigner(role []byte, name string) bool {
	var r signing.Role
	if payload.UnmarshalLenient(role, &r) != nil {
		return false
	}
	for _, signer := range r.Signers {
		if signer.ID == name || payload.FoldAddress(signer.Email) == payload.FoldAddress(name) {
			return true
		}
	}
	return false
}

// topText returns the text of an object's member; "" if there is none, or no object.
func topText(body []byte, name string) string {
	for p, err := range payload.Parts(bytes.TrimPrefix(body, []byte("\ufeff")), payload.Tolerant()) {
		if err == nil && string(p.Name) == name {
			text, _ := jsontext.AppendUnquote(nil, p.Value) // no text is another error's
			return string(text)
		}
	}
	return ""
}
