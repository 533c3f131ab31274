package signing_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"testing"
)

// The .NET SDK writes methods of notification as numbers.
func TestSDK_NotificationMethodsAsNumbers(t *testing.T) {
	c := start(t)
	role := signerRole("ada", "ada@example.org")
	one := role["signers"].([]object)[0]
	one["phone"], one["notificationMethods"] = "+12042345678", object{"primary": []any{0, 1}}
	path := c.create(object{"name": "Loan", "roles": []object{role}})
	methods := "roles.0.signers.0.notificationMethods.primary"
	same(t, "first", at(t, c.get(path).ok(), methods+".0"), "EMAIL")
	same(t, "second", at(t, c.get(path).ok(), methods+".1"), "SMS")
	for _, wrong := range []any{2, -1, 0.5, true, "MAIL", nil, object{}} {
		one["notificationMethods"] = object{"primary": []any{wrong}}
		if a := c.post("/api/packages", object{"name": "Loan", "roles": []object{role}}); a.status != http.StatusBadRequest {
			t.Errorf("%v is answered %d", wrong, a.status)
		}
	}
}

// A signer's session counts where the SDK sends the header of a key without one, and a
// part that is no file beside the file.
func TestSDK_AttachesWithEmptyKey(t *testing.T) {
	c := startWithKey(t, "k3y")
	role := signerRole("ada", "ada@example.org")
	role["attachmentRequirements"] = []object{{"id": "scan", "name": "Scan"}}
	path := c.create(object{"name": "Loan", "status": "SENT", "roles": []object{role}})
	attach := func(session, header string) int {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for _, name := range []string{"payload", "file"} {
			part, err := w.CreateFormFile(name, name)
			if err == nil {
				_, err = part.Write([]byte("a scan"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+path+"/attachment/scan", &body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", w.FormDataContentType())
		r.Header.Set("Authorization", header)
		r.AddCookie(&http.Cookie{Name: "ESIGNLIVE_SESSION_ID", Value: session})
		return c.do(r).status
	}
	session := c.as(path, "ada").session
	same(t, "another key", attach(session, "Basic other"), http.StatusUnauthorized)
	same(t, "no session", attach("unknown", "Basic "), http.StatusUnauthorized)
	same(t, "the session", attach(session, "Basic "), http.StatusOK)
	files := at(t, c.get(path+"/roles/ada").ok(), "attachmentRequirements.0.files").([]any)
	same(t, "files", len(files), 1)
}
