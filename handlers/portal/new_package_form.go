package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
)

// sentPage is a submitted page: what was typed, and the chosen files, which are kept on
// disk until files is closed.
type sentPage struct {
	typed map[string]string
	list  []sentFile
	files *payload.Spool
	// tooLarge says that the files exceed room; list is empty then.
	tooLarge bool
	// digest identifies the content of the page: the same page sent twice has the same
	// digest.
	digest string

	room int64 // for files, in bytes
}

type sentFile struct {
	name    string
	content *io.SectionReader
}

const (
	// maxTyped limits everything that was typed, in bytes, and maxInputs limits the
	// number of inputs.
	maxTyped  = 1 << 20
	maxInputs = 10_000
	// tooMuch times MaxUpload is the most that is read of a form, so that what was typed
	// is not lost if the files are too large.
	tooMuch = 8
)

// read reads the form in constant memory, with room bytes for files. The error is
// request.malformed if the body is no form or has too many inputs, and request.too-large
// if it exceeds what is read of a form.
func (p newPackagePage) read(c *gin.Context, room int64) (*sentPage, error) {
	if media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err == nil && media == "application/x-www-form-urlencoded" {
		return readWithoutFiles(c)
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, tooMuch*p.MaxUpload+maxTyped)
	parts, err := c.Request.MultipartReader()
	if err != nil {
		return nil, fault.Wrap(fault.RequestMalformed, err)
	}
	s := &sentPage{typed: map[string]string{}, files: &payload.Spool{Dir: p.SpoolDir}, room: room}
	sum := sha256.New()
	for count, left := 0, int64(maxTyped); err == nil; count++ {
		var part *multipart.Part
		if part, err = parts.NextPart(); err != nil {
			break
		}
		if count == maxInputs {
			err = errTooManyInputs
			break
		}
		left, err = s.read(part, left, sum)
	}
	if !errors.Is(err, io.EOF) {
		s.files.Close()
		return nil, unreadForm(err)
	}
	s.digest = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// readWithoutFiles reads a form that is sent as those without files are.
func readWithoutFiles(c *gin.Context) (*sentPage, error) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxTyped)
	if err := request.Form(c); err != nil {
		return nil, err
	}
	form := c.Request.PostForm
	if len(form) > maxInputs {
		return nil, fault.Wrap(fault.RequestMalformed, errTooManyInputs)
	}
	sum := sha256.Sum256([]byte(form.Encode()))
	s := &sentPage{typed: map[string]string{}, files: &payload.Spool{}, digest: hex.EncodeToString(sum[:])}
	for name := range form {
		s.typed[name] = safetext.Prose(form.Get(name))
	}
	return s, nil
}

var errTooManyInputs = errors.New("there are too many inputs")

// read reads one part. left is the number of bytes that may still be typed; read returns
// the rest of it.
func (s *sentPage) read(part *multipart.Part, left int64, sum hash.Hash) (int64, error) {
	if part.FormName() == page.ShownToInput { // it is no part of what was typed
		n, err := io.Copy(io.Discard, io.LimitReader(part, left))
		return left - n, err
	}
	fmt.Fprintf(sum, "%q %q ", part.FormName(), part.FileName())
	if part.FormName() != "files" {
		text, err := io.ReadAll(io.LimitReader(io.TeeReader(part, sum), left+1))
		if int64(len(text)) > left {
			err = &http.MaxBytesError{Limit: maxTyped}
		}
		s.typed[part.FormName()] = safetext.Prose(string(text))
		return left - int64(len(text)), err
	}
	from := s.files.Size()
	if _, err := io.CopyN(io.MultiWriter(s.files, sum), part, s.room-from+1); err != nil && !errors.Is(err, io.EOF) {
		return left, err
	}
	if s.tooLarge = s.tooLarge || s.files.Size() > s.room; s.tooLarge {
		s.list, s.room = nil, s.files.Size()-1
		_, err := io.Copy(io.Discard, part)
		return left, err
	}
	if part.FileName() != "" { // without a chosen file, a browser sends an empty one
		s.list = append(s.list, sentFile{safetext.Line(part.FileName()), io.NewSectionReader(s.files, from, s.files.Size()-from)})
	}
	return left, nil
}

// unreadForm returns the error for a form that could not be read to its end.
func unreadForm(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return fault.Wrap(fault.RequestMalformed, err)
}
