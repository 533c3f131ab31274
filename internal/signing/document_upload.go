package signing

import (
	"bytes"
	"io"
	"mime/multipart"

	"github.com/go-json-experiment/json"

	"countersign/internal/payload"
)

// Upload returns the document with its file as a client would send it: until a Check says
// otherwise, its payload wants one file. The caller must close it.
func (d Document) Upload(file io.Reader) (*Upload, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, payload.Malformed(err)
	}
	var frame bytes.Buffer
	form := multipart.NewWriter(&frame)
	if err := form.WriteField("payload", string(text)); err != nil {
		return nil, err
	}
	if _, err := form.CreateFormFile("file", d.Name); err != nil {
		return nil, err
	}
	head := bytes.Clone(frame.Bytes())
	frame.Reset()
	if err := form.Close(); err != nil {
		return nil, err
	}
	upload, err := NewUpload(form.FormDataContentType(), io.MultiReader(bytes.NewReader(head), file, &frame), "")
	if err == nil {
		upload.payload.files = []string{""}
	}
	return upload, err
}
