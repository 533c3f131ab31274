package signing

import (
	"bytes"
	"io"
	"mime/multipart"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// Upload returns the document with its file as a client would send it: until a Check says
// otherwise, its payload wants one file. The caller must close it.
func (d Document) Upload(file io.Reader) (*Upload, error) { return upload(d.Name, d, file) }

// UploadWith is Upload with other approvals, as the platform has them.
func (d Document) UploadWith(approvals []jsontext.Value, file io.Reader) (*Upload, error) {
	return upload(d.Name, struct {
		Document
		Approvals []jsontext.Value `json:"approvals"`
	}{d, approvals}, file)
}

func upload(name string, document any, file io.Reader) (*Upload, error) {
	text, err := json.Marshal(document, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, payload.Malformed(err)
	}
	var frame bytes.Buffer
	form := multipart.NewWriter(&frame)
	if err := form.WriteField("payload", string(text)); err != nil {
		return nil, err
	}
	if _, err := form.CreateFormFile("file", name); err != nil {
		return nil, err
	}
	head := bytes.Clone(frame.Bytes())
	frame.Reset()
	if err := form.Close(); err != nil {
		return nil, err
	}
	made, err := NewUpload(form.FormDataContentType(), io.MultiReader(bytes.NewReader(head), file, &frame), "")
	if err == nil {
		made.payload.files = []string{""}
	}
	return made, err
}
