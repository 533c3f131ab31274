package signing_test

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

var limits = signing.Limits{MaxDocuments: 2, MaxDocumentSize: 600}

// stored returns a package with the platform's consent and so many documents.
func storedDocuments(t *testing.T, n int) *signing.Package {
	t.Helper()
	text := `{"documents":[{"id":"default-consent"}`
	for i := range n {
		text += `,{"id":"d` + string(rune('0'+i)) + `"}`
	}
	s, err := signing.ReadStored([]byte(text + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A package has as many documents as the account takes, those that it has already counted.
func TestLimits_Documents(t *testing.T) {
	const document = `{"name":"a","base64Content":"YQ=="}`
	for _, tt := range []struct {
		has   int
		sent  string
		wrong string
	}{
		{0, `[` + document + `,` + document + `]`, ""}, {0, `[` + document + `,` + document + `,` + document + `]`, " field.documents-most"},
		{1, document, ""}, {2, document, " field.documents-most"}, {3, document, " field.documents-most"},
	} {
		p, err := signing.NewPayload([]byte(tt.sent))
		if err != nil {
			t.Fatal(err)
		}
		err = signing.CheckDocuments(p, signing.Context{Limits: limits, Package: storedDocuments(t, tt.has)})
		if got := noted(err); got != tt.wrong {
			t.Errorf("%d and %.60s: %q, want %q", tt.has, tt.sent, got, tt.wrong)
		}
	}
}

func noted(err error) string {
	var all []string
	for _, f := range fault.From(err).Fields {
		all = append(all, f.Pointer+" "+f.Detail)
	}
	return strings.Join(all, ", ")
}

// The file of a document has as many bytes as the account takes, however it comes.
func TestLimits_DocumentSize(t *testing.T) {
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	for size, wrong := range map[int]bool{600: false, 601: true, 2000: true} {
		text := strings.Repeat("a", size)
		file, payload := part(`name="file"; filename="a.txt"`, text), part(`name="payload"`, `{"name":"a"}`)
		for name, sent := range map[string][2]string{
			"base64":  {"application/json", `{"name":"a","base64Content":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}`},
			"behind":  {"multipart/form-data; boundary=b", payload + file + "--b--\r\n"},
			"waiting": {"multipart/form-data; boundary=b", file + payload + "--b--\r\n"},
		} {
			u, err := signing.NewUpload(sent[0], strings.NewReader(sent[1]), t.TempDir())
			if err == nil {
				err = signing.CheckDocuments(u.Payload(), signing.Context{Limits: limits})
			}
			var body *signing.Body
			if err == nil {
				body, err = u.Body()
			}
			if err == nil {
				_, err = io.ReadAll(body)
			}
			if err != nil != wrong || wrong && !strings.HasSuffix(noted(err), " field.document-size") {
				t.Errorf("%d bytes, %s: %v, %s", size, name, err, noted(err))
			}
			u.Close()
		}
	}
}
