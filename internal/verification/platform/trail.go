package platform

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/verification"
)

// TrailRetry is the time after which a client should ask again for an audit trail that is
// being made.
const TrailRetry = 2 * time.Second

// AuditTrail tells where an audit trail will be.
type AuditTrail struct {
	Status string `json:"status"`
	URL    string `json:"url"`
}

// GenerateAuditTrail makes the platform start an audit trail; force makes a new one if
// there is one already. The platform may answer with the link alone. A link that leads away
// from the platform, or to another transaction, is platform.failed.
func (c *Client) GenerateAuditTrail(ctx context.Context, id string, force bool) (AuditTrail, error) {
	body, err := c.call(ctx, generateAuditTrail, exchange{values: of(id), query: "?force=" + strconv.FormatBool(force)})
	if err != nil {
		return AuditTrail{}, err
	}
	trail := AuditTrail{URL: text(body)}
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("{")) {
		trail.URL = ""
		err = verification.Unmarshal(body, &trail)
	}
	if err == nil {
		_, err = c.trailPath(id, trail.URL)
	}
	if err != nil {
		return AuditTrail{}, err
	}
	return trail, nil
}

// text returns the text of a body: of JSON, or as it is.
func text(body []byte) string {
	body = bytes.TrimSpace(body)
	if unquoted, err := jsontext.AppendUnquote(nil, body); err == nil {
		return string(unquoted)
	}
	return string(body)
}

// trailPath is DataPath for an audit trail, whose address in the storage names its
// transaction.
func (c *Client) trailPath(id, link string) (string, error) {
	if isStored(link) && names(link, id) != its {
		return "", foreign()
	}
	return c.DataPath(id, link)
}

// Trail follows the link that GenerateAuditTrail returned. While the audit trail is being
// made, the error is verification.not-ready, verification.state, verification.invalid or
// request.not-found.
func (c *Client) Trail(ctx context.Context, id, link string, want http.Header) (*File, error) {
	path, err := c.trailPath(id, link)
	if err != nil {
		return nil, err
	}
	return c.file(ctx, getTransactionData, path, want, "audit-trail-"+id+".pdf", pdfs)
}
