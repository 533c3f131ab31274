package signingproxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/service"
)

// maxAnswer is how long an answer of the platform that is no file may be.
const maxAnswer = 64 << 20

// sizedAnswer is the longest whose memory is taken at once, on the platform's word.
const sizedAnswer = 1 << 20

// shape makes of the platform's answer to a call what the person is shown. It reads the
// answer to its end: one that is not JSON is platform.failed.
type shape func(*Proxy, *call, jsontext.Value) (jsontext.Value, error)

// answerJSON answers with what the platform answered, once it is known to be whole:
// its status and, shaped for the person, its body. The platform calls JSON a page now and
// then (docs/platform.md S8); here it is always JSON.
func (p *Proxy) answerJSON(c *call, response *http.Response) error {
	body, err := readAnswer(c, response)
	if err != nil {
		return err
	}
	p.done(c, body)
	if len(body) > 0 && c.shape != nil {
		if body, err = c.shape(p, c, body); err != nil {
			return err
		}
	}
	if len(body) == 0 {
		c.gin.Status(response.StatusCode)
		return nil
	}
	if c.answersXML(response) {
		c.gin.Header("Content-Disposition", disposition(response.Header.Get("Content-Disposition"), c.fileName(), false))
		c.data(response.StatusCode, xmlType, body)
		return nil
	}
	c.data(response.StatusCode, request.JSONType, body)
	return nil
}

// xmlType is the type of an answer in XML, which browsers keep and do not open.
const xmlType = "application/xml"

// answersXML reports whether the platform answers in XML where it may.
func (c *call) answersXML(response *http.Response) bool {
	return c.mayBeXML && strings.HasSuffix(mediaType(response.Header.Get("Content-Type")), "xml")
}

// readAnswer reads the body of an answer to its end. What breaks off, is too long or
// is not the JSON that it has to be is platform.failed; where the answer has a shape, that
// decides what is JSON.
func readAnswer(c *call, response *http.Response) (jsontext.Value, error) {
	var whole bytes.Buffer
	if n := response.ContentLength; n > 0 && n <= sizedAnswer {
		whole.Grow(int(n) + bytes.MinRead) // so that the end is read without another buffer
	}
	_, err := whole.ReadFrom(io.LimitReader(response.Body, maxAnswer+1))
	body := whole.Bytes()
	switch {
	case err != nil:
		return nil, unreadable(c, err)
	case len(body) > maxAnswer:
		return nil, unreadable(c, fmt.Errorf("it is longer than %d bytes", maxAnswer))
	}
	switch {
	case len(body) == 0 && c.needsBody():
		return nil, unreadable(c, errors.New("it is empty"))
	case len(body) == 0, c.answersXML(response), c.shape != nil:
		return body, nil
	}
	return readable(c, body)
}

// readable is an answer that has to be JSON.
func readable(c *call, body jsontext.Value) (jsontext.Value, error) {
	if !body.IsValid() {
		return nil, unreadable(c, errors.New("it is no JSON"))
	}
	return body, nil
}

// data writes a whole answer. Its length is said, so that it need not go out in chunks;
// of an answer that is held back it is not known yet.
func (c *call) data(status int, contentType string, body []byte) {
	if c.attempt == nil {
		c.gin.Header("Content-Length", strconv.Itoa(len(body)))
	}
	c.gin.Data(status, contentType, body)
}

// needsBody reports whether a success without a body is an error: it names a package that
// was made, or is shaped for the person.
func (c *call) needsBody() bool {
	return c.makes || c.shape != nil && !c.mayBeAbsent
}

// done tells of what the platform has carried out, and corrects the index by a package that
// was read.
func (p *Proxy) done(c *call, body jsontext.Value) {
	change := service.Change{Operation: c.Name, Package: c.packageID(), Effect: c.effect}
	switch {
	case c.corrects:
		p.Service.Correct(c.ctx(), c.who, c.packageID(), body, c.query != "")
		return
	case c.reads():
		return
	case c.makes:
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(body, &made); err != nil {
			c.who.LogFailure(c.Name+": read the answer", err)
			change.Effect = service.Untouched
		}
		change.Package, change.Made = made.ID, true
	}
	p.Service.Done(c.ctx(), c.who, change)
}

// getPackage answers with a package. One that the platform has no longer leaves the index.
func (p *Proxy) getPackage(c *call) error {
	err := p.relay(c)
	if fault.Is(err, fault.RequestNotFound) {
		p.Service.Correct(c.ctx(), c.who, c.packageID(), nil, false)
	}
	return err
}

// passed are the headers of a file that belong to it.
var passed = []string{"Content-Length", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified"}

// answerFile streams a file of the platform.
func (p *Proxy) answerFile(c *call, response *http.Response) error {
	// The platform calls its PDFs octet streams.
	kind, open := typeFor(c.gin.Request, response.Header.Get("Content-Type"), c.Name == "getDocumentPdf")
	return stream(c.gin, c.Name, response, kind, disposition(response.Header.Get("Content-Disposition"), c.fileName(), open))
}

// AnswerFile streams a file that the platform answers an operation with, under the
// platform's name or else name. One that breaks off breaks the connection off too, so that
// nobody takes a part for the whole.
func AnswerFile(c *gin.Context, operation string, response *http.Response, name string) error {
	kind, open := typeFor(c.Request, response.Header.Get("Content-Type"), false)
	return stream(c, operation, response, kind, disposition(response.Header.Get("Content-Disposition"), name, open))
}

func stream(c *gin.Context, operation string, response *http.Response, contentType, disposed string) error {
	to := c.Writer
	for _, name := range passed {
		if value := response.Header.Get(name); value != "" {
			to.Header().Set(name, value)
		}
	}
	to.Header().Set("Content-Type", contentType)
	to.Header().Set("Content-Disposition", disposed)
	to.WriteHeader(response.StatusCode)
	if c.Request.Method == http.MethodHead {
		to.WriteHeaderNow()
		return nil
	}
	if _, err := io.Copy(to, response.Body); err != nil {
		request.LogCause(c, fmt.Errorf("%s: %w", operation, err))
		panic(http.ErrAbortHandler)
	}
	return nil
}

// fileName is what a file is called that the platform gives no name.
func (c *call) fileName() string {
	if c.title != "" {
		return c.title
	}
	if document := c.values["document"]; document != "" {
		return document + c.extension
	}
	return c.packageID() + c.extension
}
