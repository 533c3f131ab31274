package signing_test

import (
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"countersign/internal/signing"
)

// The platform requires a part payload: files without one are followed by an empty one.
func TestAttachment_HasAPayload(t *testing.T) {
	part := func(disposition, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
	}
	file := part(`name="file"; filename="a.txt"`, "a")
	payload := part(`name="payload"`, "{}")
	for body, want := range map[string]string{
		file: "file a|payload ", file + file: "file a|file a|payload ", payload + file: "payload {}|file a", file + payload: "file a|payload {}",
	} {
		b, err := signing.NewAttachment("multipart/form-data; boundary=b", strings.NewReader(body+"--b--\r\n"))
		if err != nil {
			t.Errorf("%q: %v", body, err)
			continue
		}
		_, parameters, _ := mime.ParseMediaType(b.ContentType)
		var got []string
		for parts := multipart.NewReader(b, parameters["boundary"]); ; {
			p, err := parts.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", body, err)
			}
			content, _ := io.ReadAll(p)
			got = append(got, p.FormName()+" "+string(content))
		}
		if sent := strings.Join(got, "|"); sent != want {
			t.Errorf("%q is sent as %s, want %s", body, sent, want)
		}
	}
}
