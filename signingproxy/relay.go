package signingproxy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/platform"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
)

// maxAnswer limits the platform's answers other than files, in bytes.
const maxAnswer = 64 << 20

// read sends a call that changes nothing, and answers with what the person may see.
func (p *Proxy) read(c *call) error {
	response, err := p.send(c, requestBody{})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if c.isFile {
		return p.answerFile(c, response)
	}
	return p.answerRead(c, response)
}

// change checks the payload of a call that changes something, sends it and answers.
func (p *Proxy) change(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	return p.forward(c, c.payload())
}

// requestBody is the body of a request to the platform; the zero value is no body.
type requestBody struct {
	body        io.Reader
	length      int64 // -1 if unknown
	contentType string
}

// payload returns the checked payload as the body for the platform, byte for byte.
func (c *call) payload() requestBody {
	if len(c.body) == 0 {
		return requestBody{}
	}
	contentType := c.gin.GetHeader("Content-Type")
	if contentType == "" {
		contentType = request.JSONType
	}
	return requestBody{body: strings.NewReader(string(c.body)), length: int64(len(c.body)), contentType: contentType}
}

// forward sends a change with that body to the platform and answers.
func (p *Proxy) forward(c *call, out requestBody) error {
	response, err := p.send(c, out)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return p.answerChange(c, response)
}

// stream sends a change with a body that is checked on its way. What is wrong with the body comes
// before what the platform makes of its first part.
func (p *Proxy) stream(c *call, body *signing.Body) error {
	err := p.forward(c, requestBody{body: body, length: body.Length, contentType: body.ContentType})
	if ours := body.Err(); ours != nil {
		return ours
	}
	return err
}

// answerChange reads the platform's answer to a change to its end, tells the service what the
// platform has done, and sends the answer.
func (p *Proxy) answerChange(c *call, response *http.Response) error {
	body, err := readAnswer(c, response)
	if err != nil {
		return err
	}
	return p.changed(c, response.StatusCode, body)
}

// changed is answerChange for an answer that has been read.
func (p *Proxy) changed(c *call, status int, body jsontext.Value) (err error) {
	if len(body) > 0 {
		if body, err = readable(c, body); err != nil {
			return err
		}
	}
	change := service.Change{
		Operation: c.Name, Package: c.packageID(), Effect: c.effect, Owner: c.grant.Owner,
		Made: c.makes, Status: c.status, Type: c.kind, People: c.people,
	}
	if c.makes {
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(body, &made); err != nil {
			c.who.LogFailure(c.Name+": read the answer", err)
			change.Effect = service.Untouched
		}
		change.Package = made.ID
	}
	p.Service.Done(c.ctx(), c.who, change)
	c.json(status, body)
	return nil
}

// send sends the call to the platform, with those of the client's headers that describe the
// wanted answer. It translates the platform's refusals by the operation's rows.
func (p *Proxy) send(c *call, out requestBody) (*http.Response, error) {
	header := Wanted(c.gin.Request, c.isFile)
	path, ok := upstream.Fill(c.Path, c.values)
	if !ok {
		return nil, fault.New(fault.RequestNotFound)
	}
	if c.query != "" {
		path += "?" + c.query
	}
	r, err := http.NewRequestWithContext(c.ctx(), c.Method, p.Upstream.At(path), out.body)
	if err != nil {
		return nil, err
	}
	r.Header = header
	if out.body != nil {
		r.ContentLength = out.length
		if len(out.contentType) > maxPreference { // JSON with parameters, which mean nothing
			out.contentType = request.JSONType
		}
		r.Header.Set("Content-Type", out.contentType)
	}
	if c.attempt != nil && r.Body != nil { // the last bytes wait until the attempt is recorded
		r.Body, r.GetBody = c.attempt.HoldLastBytes(r.Body), nil
	}
	response, err := p.Upstream.Relay(c.Name, r)
	if c.attempt != nil {
		c.attempt.Responded(err)
	}
	if err != nil {
		return nil, platform.Translate(c.Operation, err)
	}
	return response, nil
}

const (
	// maxPreference limits a header that describes the wanted answer, in bytes, and
	// maxCondition one by which a client asks for a part of a file or a newer version. A
	// longer one is not passed on: a gateway before the platform may break the connection.
	maxPreference = 256
	maxCondition  = 1 << 10
)

// Wanted returns the headers of a request that describe the wanted answer: its media
// type, by default JSON, and its language. For a file it adds the range and the
// conditions by which a client checks its cached copy. Headers that are too long are left
// out, and with an If-Range the range.
func Wanted(r *http.Request, isFile bool) http.Header {
	header := http.Header{"Accept": {request.JSONType}}
	pass := func(most int, names ...string) {
		for _, name := range names {
			if value := r.Header.Get(name); value != "" && len(value) <= most {
				header.Set(name, value)
			}
		}
	}
	pass(maxPreference, "Accept", "Accept-Language")
	if !isFile {
		return header
	}
	pass(maxCondition, "If-None-Match", "If-Modified-Since")
	if part, ok := rangeOf(r); ok && len(part) <= maxCondition && len(r.Header.Get("If-Range")) <= maxCondition {
		header.Set("Range", part)
		pass(maxCondition, "If-Range")
	}
	return header
}

// rangeOf returns the one range of a file that a request asks for, in the form that the
// platform reads. It returns false if the request asks for the whole file, or has a range
// that a server may ignore (RFC 9110, section 14.2): malformed, in another unit, with
// several parts, or not by GET.
func rangeOf(r *http.Request) (string, bool) {
	sent := r.Header.Values("Range")
	if len(sent) != 1 || r.Method != http.MethodGet {
		return "", false
	}
	unit, part, _ := strings.Cut(sent[0], "=")
	part = strings.Trim(part, " \t")
	first, last, isRange := strings.Cut(part, "-")
	switch {
	case !strings.EqualFold(unit, "bytes"), !isRange, first == "" && last == "":
		return "", false
	case first != "" && !isNumber(first), last != "" && !isNumber(last):
		return "", false
	case first != "" && last != "" && position(first) > position(last):
		return "", false
	case first == "" && position(last) == 0:
		return "bytes=" + strconv.FormatInt(math.MaxInt64, 10) + "-", true // no byte at all: impossible, but servers answer it with a range that ends before it begins
	}
	return "bytes=" + part, true
}

// isNumber reports whether text consists of digits.
func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// position returns the number of a byte; a number that is too large becomes the greatest
// one.
func position(digits string) uint64 {
	n, _ := strconv.ParseUint(digits, 10, 64) // the greatest number if digits are out of range
	return n
}

// readAnswer reads the whole body of an answer. It returns platform.failed if the body
// breaks off, is too long, is about another object than the path, or is empty although the
// operation needs a body; and platform.unavailable if it takes too long.
func readAnswer(c *call, response *http.Response) (jsontext.Value, error) {
	body, err := upstream.ReadAll(response, maxAnswer, platform.CheckSubject(c.Operation, c.values))
	if err == nil && len(body) == 0 && c.needsBody() {
		err = unreadable(c, errors.New("it is empty"))
	}
	return body, err
}

// readable returns body, or platform.failed if body is not JSON.
func readable(c *call, body jsontext.Value) (jsontext.Value, error) {
	if !body.IsValid() {
		return nil, unreadable(c, errors.New("the response is not JSON"))
	}
	return body, nil
}

// unreadable returns platform.failed for an answer of the platform that cannot be read.
func unreadable(c *call, err error) error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: read the answer: %w", c.Name, err))
}

// data sends a complete answer. It sets Content-Length, which avoids chunked encoding,
// unless the answer is held back for an Idempotency-Key.
func (c *call) data(status int, contentType string, body []byte) {
	if c.attempt == nil {
		c.gin.Header("Content-Length", strconv.Itoa(len(body)))
	}
	c.gin.Data(status, contentType, body)
}

// json sends a complete answer in JSON, or without a body.
func (c *call) json(status int, body []byte) {
	if len(body) == 0 {
		c.gin.Status(status)
		return
	}
	c.data(status, request.JSONType, body)
}

// needsBody reports whether a 2xx without a body is an error, because it has to name the
// new package or to be shaped for the person.
func (c *call) needsBody() bool {
	return c.makes || c.shape != nil && !c.mayBeAbsent
}
