package signingproxy

import (
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// upload relays a payload with its files in constant memory. It reports errors in the
// payload before it calls the platform. An error in a later part ends the call before the
// platform has received all of it.
func (p *Proxy) upload(c *call) error {
	r, limit := c.gin.Request, p.MaxUpload
	if c.smallJSON && RequireJSON(r) == nil {
		limit = min(limit, MaxPayload)
	}
	if r.ContentLength > limit {
		return fault.New(fault.RequestTooLarge)
	}
	content := http.MaxBytesReader(c.gin.Writer, r.Body, limit)
	upload, err := signing.NewUpload(r.Header.Get("Content-Type"), content, p.SpoolDir)
	if err != nil {
		return err
	}
	defer upload.Close()
	if err := p.checkPayload(c, upload.Payload()); err != nil {
		return err
	}
	body, err := upload.Body()
	if err != nil {
		return err
	}
	err = p.forward(c, outgoing{body: body, length: body.Length, contentType: body.ContentType})
	if ours := body.Err(); ours != nil {
		return ours
	}
	return err
}
