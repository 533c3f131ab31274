package signingproxy

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// approvalReaders admits readers; a signer may read only their own approvals.
func approvalReaders(p *Proxy, c *call) error {
	if err := viewers(p, c); err != nil {
		return err
	}
	if c.grant.Standing == index.Signer && !c.isOwn(c.values["signer"]) {
		return fault.New(fault.SigningNotYourRole)
	}
	return nil
}

// attachmentReaders admits readers; a signer may read only attachments that were
// requested of their own role.
func attachmentReaders(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	c.title = c.values["attachment"]
	if c.grant.Standing != index.Signer {
		return nil
	}
	asked, err := p.askedOf(c)
	if err == nil && !asked.found {
		err = fault.New(fault.RequestNotFound)
	}
	return err
}

// archiveReaders admits readers; a signer may read only what their own role has attached.
func archiveReaders(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	role, named := c.values["role"]
	switch {
	case c.grant.Standing != index.Signer:
		return nil
	case !named:
		return fault.New(fault.SigningNotYourRole)
	case !slices.Contains(c.grant.Roles, role):
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// attachers admits the signers of the role that the file was requested of, even if they
// are also the owner or an operator, while the package is out for signing.
func attachers(p *Proxy, c *call) error {
	if err := p.lookCloser(c); err != nil {
		return err
	}
	asked, err := p.askedOf(c)
	switch {
	case err != nil:
		return err
	case !asked.found:
		return fault.New(fault.SigningNotYourRole)
	case !asked.open:
		return fault.New(fault.SigningState)
	}
	return nil
}

// asked tells whether the attachment in the path was requested of the person (found), and
// whether the package still accepts it (open).
type asked struct{ found, open bool }

// A requirement is one attachment that a role has to provide.
type requirement struct {
	Role string `json:"-"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// askedOf looks for the path's attachment among those requested of the person's roles, by
// id first and then by name. It then rewrites the call so that it cannot mean another
// role's attachment: it adds the role, and uses the id if the name is ambiguous.
func (p *Proxy) askedOf(c *call) (asked, error) {
	if len(c.grant.Roles) == 0 {
		return asked{}, nil
	}
	all, open, err := p.requirements(c)
	if err != nil {
		return asked{}, err
	}
	name := c.values["attachment"]
	called := slices.DeleteFunc(all, func(q requirement) bool { return q.ID != name && q.Name != name })
	own := slices.DeleteFunc(slices.Clone(called), func(q requirement) bool { return !slices.Contains(c.grant.Roles, q.Role) })
	if len(own) == 0 {
		return asked{}, nil
	}
	q := own[max(0, slices.IndexFunc(own, func(q requirement) bool { return q.ID == name }))]
	if len(called) > 1 && q.ID != "" {
		c.values["attachment"] = q.ID
	}
	c.query, c.written = url.Values{"role": {q.Role}}.Encode(), true
	return asked{found: true, open: open}, nil
}

// requirements reads from the platform what each role of the package has to attach, and
// whether the package is out for signing.
func (p *Proxy) requirements(c *call) (all []requirement, open bool, err error) {
	value, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err != nil {
		return nil, false, err
	}
	var pkg struct {
		Status  string `json:"status"`
		Trashed bool   `json:"trashed"`
		Roles   []struct {
			ID       string        `json:"id"`
			Required []requirement `json:"attachmentRequirements"`
		} `json:"roles"`
	}
	if err := json.Unmarshal(value, &pkg); err != nil {
		return nil, false, unreadable(c, err)
	}
	for _, r := range pkg.Roles {
		for _, q := range r.Required {
			q.Role = r.ID
			all = append(all, q)
		}
	}
	return all, pkg.Status == signing.StatusSent && !pkg.Trashed, nil
}

// attach relays a signer's files to the platform in constant memory.
func (p *Proxy) attach(c *call) error {
	r := c.gin.Request
	if r.ContentLength > p.MaxUpload {
		return fault.New(fault.RequestTooLarge)
	}
	body, err := signing.NewAttachment(r.Header.Get("Content-Type"), http.MaxBytesReader(c.gin.Writer, r.Body, p.MaxUpload))
	if err != nil {
		return err
	}
	return p.stream(c, body)
}
