package wire

import (
	"bytes"
	"cmp"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// bodyLimit is the largest body of a route that sets none: 1 MiB.
const bodyLimit = 1 << 20

// readBody takes the whole body into memory, so that the server notices a client
// that goes away while its answer is delayed. More than limit bytes are a 413,
// with what was read until then.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	limit = cmp.Or(limit, bodyLimit)
	var buffer bytes.Buffer
	buffer.Grow(int(min(max(r.ContentLength, 0), limit)) + bytes.MinRead)
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, limit))
	body := buffer.Bytes()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return body, Refuse(http.StatusRequestEntityTooLarge, "Request body is too large").Because(err)
	case err != nil:
		return body, Refuse(http.StatusBadRequest, "Request body could not be read").Because(err)
	}
	return body, nil
}

// decode reads r's JSON body into v. The platform wants application/json (415
// otherwise, which also keeps a page of another site from posting a form) and
// takes no member it does not know, and none twice.
func decode(r *http.Request, v any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return Refuse(http.StatusUnsupportedMediaType, "Content-Type must be application/json").Because(err)
	}
	err = json.UnmarshalRead(r.Body, v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	return Invalid(violation(err)).Because(err)
}

func violation(err error) Violation {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return Violation{Field: field(semantic.JSONPointer), Message: "is not a member of this request"}
	case errors.As(err, &semantic):
		return Violation{Field: field(semantic.JSONPointer), Message: "has the wrong type"}
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		return Violation{Field: field(syntactic.JSONPointer), Message: "is there twice"}
	default:
		return Violation{Message: "is not well-formed JSON"}
	}
}

// field turns /authenticatorSelection/userVerification into its dotted form.
func field(pointer jsontext.Pointer) string {
	return strings.Join(slices.Collect(pointer.Tokens()), ".")
}
