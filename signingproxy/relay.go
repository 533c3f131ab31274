package signingproxy

import (
	"io"
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// read sends a call that changes nothing, and answers with what the person may see.
func (p *Proxy) read(c *call) error {
	response, err := p.send(c, outgoing{})
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

// outgoing is the body of a request to the platform; the zero value is no body.
type outgoing struct {
	body        io.Reader
	length      int64 // -1 if unknown
	contentType string
}

// forward sends a change with that body to the platform, tells the service what has been
// done, and answers.
func (p *Proxy) forward(c *call, out outgoing) error {
	response, err := p.send(c, out)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return p.answerChange(c, response)
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
	if c.query != "" {
		path += "?" + c.query
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
