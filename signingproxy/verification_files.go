package signingproxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"countersign/internal/fault"
)

func (p *Proxy) getEvidence(c *call) error {
	t, err := p.current(c)
	if err == nil {
		err = t.WhenCompleted()
	}
	if err != nil {
		return err
	}
	c.title = "evidence-" + t.ID + ".pdf"
	return p.relayFile(c)
}

func (p *Proxy) getTransactionDocument(c *call) error { return p.relayFile(c) }

// relayFile relays a file of the operation's path.
func (p *Proxy) relayFile(c *call) error {
	path, ok := p.Verification.Client.Path(c.Operation, c.values)
	if !ok {
		return fault.New(fault.RequestNotFound)
	}
	c.path = path
	return p.relayTyped(c, pdfs)
}

// trailRetry is when an audit trail that is being made may be there.
const trailRetry = 2 * time.Second

// downloadAuditTrail follows the link that having it made was answered with.
func (p *Proxy) downloadAuditTrail(c *call) error {
	address, underWay, err := p.Verification.Transactions.Trail(c.ctx(), c.transactionID())
	if err != nil {
		return err
	}
	if address == "" {
		return fault.New(fault.RequestNotFound)
	}
	link, err := p.Verification.Client.Link(address)
	if err != nil {
		return err
	}
	c.path, c.title = link.RequestURI()[len(c.upstream.URL().Path):], "audit-trail-"+c.transactionID()+".pdf"
	err = p.relayTyped(c, pdfs)
	if !fault.Is(err, fault.VerificationState) && !fault.Is(err, fault.RequestNotFound) && !fault.Is(err, fault.VerificationNotReady) {
		return err
	}
	if _, gone := p.current(c); gone != nil {
		return gone
	}
	if !underWay {
		return fault.Wrap(fault.RequestNotFound, err)
	}
	return fault.Wrap(fault.VerificationNotReady, err).After(trailRetry)
}

// getImage relays a picture out of the platform's storage.
func (p *Proxy) getImage(c *call) error {
	list, err := p.succeeded(c)
	if err != nil {
		return err
	}
	for _, image := range list {
		if image.Name != c.values["image"] {
			continue
		}
		if c.path, err = p.Verification.Client.ImagePath(image); err != nil {
			return err
		}
		c.title = image.Name
		return p.relayTyped(c, pictures)
	}
	return fault.New(fault.RequestNotFound)
}

// fileType is what a file begins with, what it is called then, and how its name ends.
type fileType struct {
	magic            []byte
	media, extension string
}

var (
	pdfs     = []fileType{{[]byte("%PDF-"), "application/pdf", ""}}
	pictures = []fileType{
		{[]byte("\x89PNG\r\n\x1a\n"), "image/png", ".png"},
		{[]byte("\xff\xd8\xff"), "image/jpeg", ".jpg"},
		{[]byte("RIFF"), "image/webp", ".webp"},
	}
)

// relayTyped relays a file of one of the types; another one is platform.failed.
func (p *Proxy) relayTyped(c *call, types []fileType) error {
	c.query = ""
	response, err := p.send(c, outgoing{})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		if err := c.typed(response, types); err != nil {
			return err
		}
	case http.StatusPartialContent:
		response.Header.Set("Content-Type", types[0].media)
	case http.StatusNotModified:
	default: // nothing is there yet
		return fault.Wrap(fault.VerificationNotReady, errors.New("a success without a file")).After(trailRetry)
	}
	return p.answerFile(c, response)
}

// typed says what the file of a response is.
func (c *call) typed(response *http.Response, types []fileType) error {
	body := bufio.NewReader(response.Body)
	head, err := body.Peek(len(types[0].magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return unreadable(c, err)
	}
	i := slices.IndexFunc(types, func(t fileType) bool {
		return bytes.HasPrefix(head, t.magic[:min(len(t.magic), len(head))]) && len(head) > 0
	})
	if i < 0 {
		return unreadable(c, errors.New("it is no file of the type that it has to be"))
	}
	response.Header.Set("Content-Type", types[i].media)
	c.title += types[i].extension
	response.Body = struct {
		io.Reader
		io.Closer
	}{body, response.Body}
	return nil
}
