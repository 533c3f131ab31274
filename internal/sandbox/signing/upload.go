package signing

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// upload is a payload with its files, in order.
type upload struct {
	payload []byte
	files   []file
}

// readUpload reads JSON, or multipart (docs/platform.md S3).
func readUpload(r *http.Request) (upload, error) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "multipart/form-data" {
		payload, err := wire.ReadJSON(r)
		return upload{payload: payload}, err
	}
	in, err := readParts(r)
	if err == nil && in.payload == nil {
		err = malformed("The part payload is missing.", nil)
	}
	return in, err
}

// readParts reads multipart with parts called payload and file, in any order.
func readParts(r *http.Request) (in upload, err error) {
	parts, err := r.MultipartReader()
	for err == nil {
		var part *multipart.Part
		if part, err = parts.NextRawPart(); err != nil {
			break
		}
		var content []byte
		content, err = io.ReadAll(part)
		switch part.FormName() {
		case "payload":
			in.payload = content
		case "file":
			in.files = append(in.files, file{name: part.FileName(), media: "application/octet-stream", content: content})
		}
	}
	if errors.Is(err, io.EOF) {
		return in, nil
	}
	return upload{}, malformed("The multipart body could not be read.", err)
}

// place is the position of a role or document in its package.
type place struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

// decode merges the members of a JSON object into v. It ignores unknown ones, like the
// platform.
func decode(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return malformed("The payload could not be read.", err)
	}
	return nil
}

func malformed(message string, cause error) error {
	return wire.Refuse(http.StatusBadRequest, message).With(messageKey, "error.validation.payload.malformed").Because(cause)
}

// assign gives new documents their content: base64Content if there is any, nothing for
// external ones, and for the others the files in order.
func assign(documents []document, files []file) error {
	for i := range documents {
		d := &documents[i]
		d.ID, d.Size = cmp.Or(d.ID, uuid.NewString()), 0
		d.unsign()
		d.content.original, d.Base64Content = d.Base64Content, nil
		switch {
		case d.ID == consentID, wire.Given(d.External), d.content.original != nil:
		case len(files) == 0:
			return malformed("There are more documents than files.", nil)
		default:
			d.content.original, files = files[0].content, files[1:]
		}
	}
	if len(files) > 0 {
		return malformed("There are more files than documents.", nil)
	}
	return nil
}

// admit checks that the account takes documents beside those that a package has.
func (s *store) admit(added, has []document) error {
	s.mu.Lock()
	account := s.account
	s.mu.Unlock()
	count := 0
	for _, d := range slices.Concat(has, added) {
		if d.ID != consentID {
			count++
		}
	}
	if count > account.maxDocuments && len(added) > 0 {
		return wire.Refuse(http.StatusBadRequest, "A package has "+strconv.Itoa(account.maxDocuments)+" documents at most.").With(messageKey, "error.validation.documents.tooMany")
	}
	for _, d := range added {
		if len(d.content.original) > account.maxDocumentSize {
			return wire.Refuse(http.StatusBadRequest, "A document has "+strconv.Itoa(account.maxDocumentSize)+" bytes at most.").With(messageKey, "error.validation.document.tooLarge")
		}
	}
	return nil
}

// keep stores the content of an uploaded document.
func (p *pkg) keep(d *document) {
	if d.content.original != nil {
		p.files[d.ID], d.Size = d.content, len(d.content.original)
		d.content = documentContent{}
	}
}
