package signingproxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// A shape turns the platform's answer to a call into the answer that the person may see.
// It returns platform.failed if the answer is not the JSON that it expects.
type shape func(*Proxy, *call, jsontext.Value) (jsontext.Value, error)

// answerRead sends the platform's answer to a read, shaped for the person, after it has
// read the whole body. It always sends JSON as application/json, although the platform
// sometimes labels it as HTML (docs/platform.md S8).
func (p *Proxy) answerRead(c *call, response *http.Response) error {
	body, err := readAnswer(c, response)
	if err != nil {
		return err
	}
	if err := p.correct(c, body); err != nil {
		return err
	}
	p.noteRead(c)
	switch {
	case len(body) == 0:
	case c.answersXML(response):
		c.gin.Header("Content-Disposition", disposition(response.Header.Get("Content-Disposition"), c.fileName(), false))
		c.data(response.StatusCode, xmlType, body)
		return nil
	case c.shape != nil:
		body, err = c.shape(p, c, body)
	default:
		body, err = readable(c, body)
	}
	if err != nil {
		return err
	}
	c.json(response.StatusCode, body)
	return nil
}

// xmlType is the type of an answer in XML, which browsers download and do not display.
const xmlType = "application/xml"

// answersXML reports whether the operation may answer in XML and this answer is XML.
func (c *call) answersXML(response *http.Response) bool {
	return c.mayBeXML && strings.HasSuffix(mediaType(response.Header.Get("Content-Type")), "xml")
}

// correct corrects the index by the package that getPackage has read, and the grant where it
// is another's by now.
func (p *Proxy) correct(c *call, body jsontext.Value) error {
	if !c.corrects || !p.Service.Correct(c.ctx(), c.who, c.packageID(), c.grant, body, c.query != "") || c.who.Operator {
		return nil
	}
	return p.look(c)
}

// noteRead records that an operator reads the package in the path.
func (p *Proxy) noteRead(c *call) {
	if c.packageID() != "" {
		p.Service.Reads(c.ctx(), c.who, c.packageID(), c.Name)
	}
}

// getPackage answers with a package, and removes from the index a package that the
// platform no longer has.
func (p *Proxy) getPackage(c *call) error {
	err := p.read(c)
	if fault.Is(err, fault.RequestNotFound) {
		p.Service.Correct(c.ctx(), c.who, c.packageID(), c.grant, nil, false)
	}
	return err
}

// passed lists the headers of the platform's answer that go to the client with a file.
var passed = []string{"Content-Length", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified"}

// answerFile streams a file from the platform to the client.
func (p *Proxy) answerFile(c *call, response *http.Response) error {
	p.noteRead(c)
	kind, open := typeFor(c.gin.Request, response.Header.Get("Content-Type"), c.isPDF)
	return stream(c.gin, c.Name, response, kind, disposition(response.Header.Get("Content-Disposition"), c.fileName(), open))
}

// AnswerFile streams the platform's answer to an operation as a file, under the
// platform's file name or, if there is none, under name. If the platform's answer breaks
// off, the client's connection breaks off too, so that nobody takes a part for the whole
// file.
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

// fileName returns the name for a file to which the platform gives none.
func (c *call) fileName() string {
	if c.title != "" {
		return c.title
	}
	if document := c.values["document"]; document != "" {
		return document + c.extension
	}
	return c.packageID() + c.extension
}
