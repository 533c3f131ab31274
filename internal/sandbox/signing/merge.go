package signing

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// merge merges a request's members into p. Members that the platform decides stay; roles,
// documents and messages are replaced as a whole.
func (p *pkg) merge(body []byte) error {
	before := *p
	p.Completed, p.Limits, p.Sender = nil, nil, sender{} // decoding would write into shared data
	p.Roles, p.Documents, p.Messages = nil, nil, nil
	if err := decode(body, p); err != nil {
		return err
	}
	p.ID, p.Created, p.Updated, p.Completed, p.Sender = before.ID, before.Created, before.Updated, before.Completed, before.Sender
	p.Limits, p.BulkSendable = before.Limits, before.BulkSendable
	return nil
}

// merge merges a request's members into the document.
func (d *document) merge(body []byte) error {
	id, size := d.ID, d.Size
	if err := decode(body, d); err != nil {
		return err
	}
	d.ID, d.Size = id, size
	d.unsign()
	return nil
}

// merge merges a request's members into the role and its signers.
func (r *role) merge(body []byte, now time.Time) error {
	before := *r
	r.Signers, r.AttachmentRequirements = nil, nil
	var raw struct {
		Signers []jsontext.Value `json:"signers"`
	}
	if err := decode(body, r); err != nil {
		return err
	}
	if err := decode(body, &raw); err != nil {
		return err
	}
	r.ID, r.Locked = before.ID, before.Locked
	r.keepAttached(before.AttachmentRequirements)
	if raw.Signers == nil {
		r.Signers = before.Signers
		return nil
	}
	for i := range r.Signers {
		r.Signers[i] = before.signerFor(r.Signers[i], i)
		if err := decode(raw.Signers[i], &r.Signers[i]); err != nil {
			return err
		}
		r.Signers[i].Updated = dateOf(now)
	}
	return nil
}

// signerFor returns the role's signer that the request's i-th one changes: the one with
// its id or e-mail address, else the one at its index, else a new one.
func (r *role) signerFor(in signer, i int) signer {
	found := slices.IndexFunc(r.Signers, func(s signer) bool {
		return in.ID != "" && s.ID == in.ID || in.Email != "" && s.Email == mailbox(in.Email)
	})
	switch {
	case found >= 0:
		return r.Signers[found]
	case i < len(r.Signers):
		return r.Signers[i]
	default:
		return signer{}
	}
}
