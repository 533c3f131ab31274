package signingproxy

import (
	"io"
	"maps"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// relay checks the payload, sends the call to the platform and answers with what it
// answers.
func (p *Proxy) relay(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	return p.forward(c, c.payload())
}

// outgoing is the body of a request to the platform; the zero value has none.
type outgoing struct {
	body        io.Reader
	length      int64 // -1 where it is not known
	contentType string
}

// forward sends the call to the platform with that body, tells the index what it
// changed, and answers.
func (p *Proxy) forward(c *call, out outgoing) error {
	response, err := p.send(c, out)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if c.isFile {
		return p.answerFile(c, response)
	}
	return p.answerJSON(c, response)
}

// send sends the call to the platform. Its errors have the rows of the operation's
// refusals.
func (p *Proxy) send(c *call, out outgoing) (*http.Response, error) {
	r, err := p.outgoing(c, out)
	if err != nil {
		return nil, err
	}
	c.withhold(r)
	response, err := p.Upstream.Relay(c.Name, r)
	c.noteResponse(err)
	if err != nil {
		return nil, signing.Translate(c.Operation, err)
	}
	return response, nil
}

// outgoing is the request to the platform: of the client's headers only those that
// say what is sent and what is wanted.
func (p *Proxy) outgoing(c *call, out outgoing) (*http.Request, error) {
	path, ok := upstream.Fill(c.Path, c.values)
	if !ok {
		return nil, fault.New(fault.RequestNotFound)
	}
	query, err := c.outgoingQuery()
	if err != nil {
		return nil, err
	}
	if query != "" {
		path += "?" + query
	}
	r, err := http.NewRequestWithContext(c.ctx(), c.Method, p.Upstream.URL().String()+path, out.body)
	if err != nil {
		return nil, err
	}
	if out.body != nil {
		r.ContentLength = out.length
		r.Header.Set("Content-Type", out.contentType)
	}
	maps.Copy(r.Header, Wanted(c.gin.Request, c.isFile))
	return r, nil
}

// Wanted returns the headers of a request that say which answer is wanted: JSON unless it
// says otherwise; of a file also which part, and unless the client has it already.
func Wanted(r *http.Request, isFile bool) http.Header {
	header, names := http.Header{"Accept": {request.JSONType}}, []string{"Accept", "Accept-Language"}
	if isFile {
		names = append(names, "If-None-Match", "If-Modified-Since")
		if part, ok := rangeOf(r); ok {
			header.Set("Range", part)
			names = append(names, "If-Range")
		}
	}
	for _, name := range names {
		if value := r.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	return header
}
