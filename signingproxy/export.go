package signingproxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
)

// exportPackages answers with every package that the query of listPackages finds, each
// once, as NDJSON or CSV. It sends the packages while it reads them. A failure before the
// first package is an ordinary error; a later one is reported at the end of the export,
// because the status was already sent.
func (p *Proxy) exportPackages(c *call) error {
	q, err := signing.ParseQuery(c.query)
	if err != nil {
		return err
	}
	format, err := exportFormat(c.gin.Request)
	if err != nil {
		return err
	}
	out := &export{call: c, exportEncoding: format, to: bufio.NewWriterSize(c.gin.Writer, 64<<10)}
	if c.gin.Request.Method == http.MethodHead {
		out.begin()
		return nil
	}
	c.noteList(q)
	for value, err := range p.everyPackage(c, q) {
		if err == nil {
			err = out.write(value)
		}
		if err != nil {
			return out.fail(err)
		}
	}
	return out.end()
}

// An exportEncoding is a format of exports.
type exportEncoding struct {
	mediaType string
	head      string
	// appendPackage appends a package's line to line.
	appendPackage func(line []byte, value jsontext.Value) ([]byte, error)
	// trailer names the HTTP trailer that reports a failure after the first package; ""
	// if a last line of the body reports it.
	trailer string
}

var encodings = map[string]exportEncoding{
	"ndjson": {mediaType: "application/x-ndjson; charset=utf-8", appendPackage: appendJSONLine},
	"csv":    {mediaType: "text/csv; charset=utf-8; header=present", head: signing.CSVHead, appendPackage: signing.AppendCSV, trailer: "X-Export-Error"},
}

// exportFormat returns the format that the query asks for or, without one, the Accept
// header.
func exportFormat(r *http.Request) (exportEncoding, error) {
	name := r.URL.Query().Get("format")
	switch {
	case name == "" && prefersCSV(r):
		name = "csv"
	case name == "":
		name = "ndjson"
	}
	format, known := encodings[name]
	if !known {
		return exportEncoding{}, fault.Invalid(fault.Field{Pointer: "/format", Detail: "field.choice"})
	}
	return format, nil
}

// prefersCSV reports whether r's Accept ranks CSV above NDJSON.
func prefersCSV(r *http.Request) bool {
	return request.Prefers(r, []string{"text/csv", "text/*"}, []string{"application/x-ndjson", "application/ndjson", "application/json", "application/*", "*/*"})
}

// export is an export that is being sent.
type export struct {
	*call
	exportEncoding
	to    *bufio.Writer
	line  []byte
	begun bool
	count int
}

// flushEvery limits how many packages are buffered before they are sent.
const flushEvery = 50

// errLeft reports that the client closed the connection.
var errLeft = errors.New("the client has left")

func (e *export) write(value jsontext.Value) (err error) {
	if e.line, err = e.appendPackage(e.line[:0], value); err != nil {
		return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: %w", e.Name, err))
	}
	e.begin()
	_, err = e.to.Write(e.line)
	if e.count++; err == nil && e.count%flushEvery == 0 {
		err = e.flush()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	return nil
}

// begin sends the status and the head of the answer, the first time it is called.
func (e *export) begin() {
	if e.begun {
		return
	}
	e.begun = true
	h := e.gin.Writer.Header()
	h.Set("Content-Type", e.mediaType)
	h.Add("Vary", "Accept")
	if e.trailer != "" {
		h.Set("Trailer", e.trailer)
	}
	e.gin.Status(http.StatusOK)
	_, _ = e.to.WriteString(e.head) // the next write has the same error
}

func (e *export) flush() error {
	err := e.to.Flush()
	e.gin.Writer.Flush()
	return err
}

// fail ends the export with err: as an ordinary error if nothing was sent, else in the
// trailer or in a last line.
func (e *export) fail(err error) error {
	if !e.begun {
		return err
	}
	request.LogCause(e.gin, err)
	switch {
	case errors.Is(err, errLeft), fault.Is(err, fault.RequestCancelled):
		return nil
	case e.trailer != "":
		_ = e.flush()
		e.gin.Writer.Header().Set(e.trailer, string(fault.From(err).Key))
		return nil
	}
	_, _ = fmt.Fprintf(e.to, "{\"error\":%s}\n", request.From(e.gin).Problem(err))
	_ = e.flush()
	return nil
}

func (e *export) end() error {
	e.begin()
	if err := e.flush(); err != nil {
		request.LogCause(e.gin, fmt.Errorf("%w: %w", errLeft, err))
	}
	return nil
}

// appendJSONLine appends a package as one line. It compacts a package only if it has line
// breaks.
func appendJSONLine(line []byte, value jsontext.Value) ([]byte, error) {
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		value = value.Clone()
		if err := value.Compact(); err != nil {
			return nil, err
		}
	}
	return append(append(line, value...), '\n'), nil
}
