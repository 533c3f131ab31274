package signing

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/go-json-experiment/json"

	"countersign/internal/payload"
	"countersign/internal/upstream"
)

// sentFile is a document to send with its file; check is nil if the payload was checked
// already.
type sentFile struct {
	document DraftDocument
	file     io.Reader
	check    Check
}

// maxDocument limits the document in the platform's response, in bytes.
const maxDocument = 8 << 20

// sendFile uploads a document in constant memory, checked like every upload.
func (c *Client) sendFile(ctx context.Context, op upstream.Operation, values map[string]string, s sentFile) (DraftDocument, error) {
	upload, err := s.upload()
	if err != nil {
		return DraftDocument{}, err
	}
	defer upload.Close()
	if s.check != nil {
		if err := s.check(upload.Payload(), Context{}); err != nil {
			return DraftDocument{}, err
		}
	} else {
		upload.payload.files = []string{""}
	}
	body, err := upload.Body()
	if err != nil {
		return DraftDocument{}, err
	}
	response, err := c.relay(ctx, op, values, body)
	if ours := body.Err(); ours != nil {
		err = ours
	}
	if response == nil || err != nil {
		closeBody(response)
		return DraftDocument{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument))
	if err != nil {
		return DraftDocument{}, unreadable(err)
	}
	return readDocument(text)
}

func closeBody(response *http.Response) {
	if response != nil {
		response.Body.Close()
	}
}

// upload returns the document as a client would send it.
func (s sentFile) upload() (*Upload, error) {
	text, err := json.Marshal(s.document)
	if err != nil {
		return nil, payload.Malformed(err)
	}
	var frame bytes.Buffer
	form := multipart.NewWriter(&frame)
	if err := form.WriteField("payload", string(text)); err != nil {
		return nil, err
	}
	if _, err := form.CreateFormFile("file", s.document.Name); err != nil {
		return nil, err
	}
	head := bytes.Clone(frame.Bytes())
	frame.Reset()
	if err := form.Close(); err != nil {
		return nil, err
	}
	return NewUpload(form.FormDataContentType(), io.MultiReader(bytes.NewReader(head), s.file, &frame), "")
}
