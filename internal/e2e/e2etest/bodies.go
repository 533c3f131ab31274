package e2etest

import (
	"encoding/base64"
	"strings"
)

// Bodies of requests.
const (
	RightPassword = `{"credentials":{"passKey":"Sandbox-1!"}}`
	PushedSignIn  = `{"orchestrationDelivery":["pushNotification"]}`
	AskPasskey    = `{"fidoProtocol":"FIDO2"}`
	AskUAFKey     = `{"fidoProtocol":"UAF11"}`

	PushedTransaction = `{"orchestrationDelivery":["pushNotification"],
	"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"5 EUR"}}]}}}`
	// Blank is a PDF of one empty page.
	Blank = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)

// Lease returns a package of one empty page that people sign one after the other. Each is called
// after their address, and Signer.
func Lease(name, status string, emails ...string) map[string]any {
	type object = map[string]any
	roles, approvals := []any{}, []any{}
	for i, email := range emails {
		id, _, _ := strings.Cut(email, "@")
		roles = append(roles, object{"id": id, "index": i + 1, "signers": []any{object{"email": email, "firstName": strings.ToUpper(id[:1]) + id[1:], "lastName": "Signer"}}})
		approvals = append(approvals, object{"role": id, "fields": []any{object{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100 * (i + 1), "left": 72, "width": 200, "height": 40}}})
	}
	return object{"name": name, "status": status, "roles": roles, "documents": []any{
		object{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(Blank)), "approvals": approvals},
	}}
}
