package wire

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// bodyLimit is the default limit of a route's body: 1 MiB.
const bodyLimit = 1 << 20

// readBody reads the whole body into memory, so that the server notices a client that
// goes away while its answer is delayed. A body of more than limit bytes is a 413, with
// the bytes read so far.
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

// ReadJSON returns r's body, which must be application/json, with any parameter: else 415, which
// also keeps a page of another site from posting a form.
func ReadJSON(r *http.Request) ([]byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != jsonMedia {
		return nil, Refuse(http.StatusUnsupportedMediaType, "Content-Type must be application/json").Because(err)
	}
	return io.ReadAll(r.Body)
}

// decode decodes r's JSON body into v, and refuses unknown and duplicate members.
func decode(r *http.Request, v any) error {
	body, err := ReadJSON(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v, json.RejectUnknownMembers(true)); err != nil {
		return Invalid(violation(err)).Because(err)
	}
	return nil
}

// NoNulls refuses a body with a member or an element that is null, for a platform whose
// documents allow none, before call sees it.
func NoNulls(call Call) Call {
	return func(r *http.Request) (any, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var rules Rules
		for d := jsontext.NewDecoder(bytes.NewReader(body)); ; {
			token, err := d.ReadToken()
			if err != nil { // the end, or what decode says better
				break
			}
			if token.Kind() == 'n' {
				rules.Broken(field(d.StackPointer()), "must not be null")
			}
		}
		if err := rules.Err(); err != nil {
			return nil, err
		}
		return call(buffered(r, body))
	}
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

// field converts /authenticatorSelection/userVerification into its dotted form.
func field(pointer jsontext.Pointer) string {
	return strings.Join(slices.Collect(pointer.Tokens()), ".")
}
