package signingproxy

import (
	"io"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// relay checks the payload, sends the call to the platform and relays the answer.
func (p *Proxy) relay(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	return p.forward(c, c.payload())
}

// outgoing is the body of a request to the platform; the zero value is no body.
type outgoing struct {
	body        io.Reader
	length      int64 // -1 if unknown
	contentType string
}

// forward sends the call with that body to the platform and relays the answer. After a
// change it updates the index.
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

// send sends the call to the platform. It translates the platform's refusals by the
// operation's rows.
func (p *Proxy) send(c *call, out outgoing) (*http.Response, error) {
	r, err := p.outgoing(c, out)
	if err != nil {
		return nil, err
	}
	c.withhold(r)
	response, err := p.Upstream.Relay(c.Name, r)
	c.noteResponse(err)
	if err != nil {
		return nil, platform.Translate(c.Operation, err)
	}
	return response, nil
}

// outgoing returns the request to the platform. Of the client's headers it passes on only
// those that describe the wanted answer.
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
	r, err := http.NewRequestWithContext(c.ctx(), c.Method, p.Upstream.At(path), out.body)
	if err != nil {
		return nil, err
	}
	r.Header = Wanted(c.gin.Request, c.isFile)
	if out.body != nil {
		r.ContentLength = out.length
		r.Header.Set("Content-Type", out.contentType)
	}
	return r, nil
}

// Wanted returns the headers of a request that describe the wanted answer: its media
// type, by default JSON, and its language. For a file it adds the range and the
// conditions by which a client checks its cached copy.
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
