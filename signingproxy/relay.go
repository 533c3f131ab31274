package signingproxy

import (
	"io"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/request"
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
	response, err := c.upstream.Relay(c.Name, r)
	c.noteResponse(err)
	if err != nil {
		return nil, c.translate(c.Operation, err)
	}
	return response, nil
}

// outgoing is the request to the platform: of the client's headers only those that
// say what is sent and what is wanted.
func (p *Proxy) outgoing(c *call, out outgoing) (*http.Request, error) {
	path, ok := c.path, true
	if path == "" {
		path, ok = upstream.Fill(c.Path, c.values)
	}
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
	r, err := http.NewRequestWithContext(c.ctx(), c.Method, c.upstream.URL().String()+path, out.body)
	if err != nil {
		return nil, err
	}
	if out.body != nil {
		r.ContentLength = out.length
		r.Header.Set("Content-Type", out.contentType)
	}
	wanted := []string{"Accept", "Accept-Language"}
	if c.isFile {
		wanted = append(wanted, "If-None-Match", "If-Modified-Since")
		if part, ok := rangeOf(c.gin.Request); ok {
			r.Header.Set("Range", part)
			wanted = append(wanted, "If-Range")
		}
	}
	for _, name := range wanted {
		if value := c.gin.GetHeader(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", request.JSONType)
	}
	return r, nil
}
