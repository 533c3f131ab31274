package signing

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// upload is a payload with the files that came beside it, in their order.
type upload struct {
	payload []byte
	files   [][]byte
}

// readUpload takes JSON, or multipart with one part payload and any number of
// parts file, in any order (signing facts, 2.2).
func readUpload(r *http.Request) (upload, error) {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		payload, err := readJSON(r)
		return upload{payload: payload}, err
	}
	var in upload
	parts := multipart.NewReader(r.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return upload{}, malformed("The multipart body could not be read.", err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return upload{}, malformed("The multipart body could not be read.", err)
		}
		switch part.FormName() {
		case "payload":
			in.payload = content
		case "file":
			in.files = append(in.files, content)
		}
	}
	if in.payload == nil {
		return upload{}, malformed("The part payload is missing.", nil)
	}
	return in, nil
}

// readJSON wants application/json, with any parameter; a page of another site
// could send another type without being asked.
func readJSON(r *http.Request) ([]byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, wire.Refuse(http.StatusUnsupportedMediaType, "The Content-Type must be application/json.").Because(err)
	}
	return io.ReadAll(r.Body)
}

// decode puts the members of a JSON object over v's. Unknown ones are ignored,
// as the platform does.
func decode(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return malformed("The payload could not be read.", err)
	}
	return nil
}

func malformed(message string, cause error) error {
	return wire.Refuse(http.StatusBadRequest, message).With(messageKey, "error.validation.payload.malformed").Because(cause)
}

// receive keeps the content of the documents: of each in the request that has
// base64Content this, of the others, but for external ones, the next file.
func (p *pkg) receive(files [][]byte) error {
	for i := range p.Documents {
		d := &p.Documents[i]
		content := d.Base64Content
		d.Base64Content = nil
		switch {
		case d.ID == consentID, d.External != nil && d.External.Kind() != 'n':
			continue
		case content != nil:
		case len(files) == 0:
			return malformed("There are more documents than files.", nil)
		default:
			content, files = files[0], files[1:]
		}
		if !isPDF(content) {
			return wire.Refuse(http.StatusBadRequest, "The document "+d.Name+" is no PDF, and the sandbox takes nothing else.").
				With(messageKey, "error.validation.document.unsupportedFormat")
		}
		d.ID = cmp.Or(d.ID, uuid.NewString())
		p.files[d.ID], d.Size = content, len(content)
	}
	if len(files) > 0 {
		return malformed("There are more files than documents.", nil)
	}
	return nil
}

// isPDF looks for the header in the first 1024 bytes, as readers do.
func isPDF(content []byte) bool {
	return bytes.Contains(content[:min(len(content), 1024)], []byte("%PDF-"))
}
