package signingproxy

import (
	"cmp"
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/upstream"
)

// approvalReaders admits readers; a signer may read only their own approvals.
func approvalReaders(p *Proxy, c *call) error {
	if err := viewers(p, c); err != nil {
		return err
	}
	if c.grant.Access == index.Signer && !c.isOwn(c.values["signer"]) {
		return fault.New(fault.SigningNotYourRole)
	}
	return nil
}

// attachmentReaders admits readers; a signer may read only attachments that were
// requested of the user's role.
func attachmentReaders(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	c.title = c.values["attachment"]
	var roles []string
	if c.grant.Access == index.Signer {
		roles = append([]string{}, c.grant.Roles...)
	}
	asked, err := p.askedOf(c, roles)
	if err == nil && !asked.found && roles != nil {
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
	case c.grant.Access != index.Signer:
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
	if err := p.grantRefreshed(c); err != nil {
		return err
	}
	asked, err := p.askedOf(c, append([]string{}, c.grant.Roles...))
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

// attachmentAccess tells whether the attachment in the path was requested of the person (found), and
// whether the package still accepts it (open).
type attachmentAccess struct{ found, open bool }

// A requirement is one attachment that a role has to provide.
type requirement struct {
	signing.AttachmentRequest
	Role string
}

// askedOf looks for the path's attachment among those requested of roles, nil for any role,
// by id first and then by name. It then rewrites the call so that it cannot mean another
// role's attachment: the platform knows one by its id alone. An id that another role has too
// is signing.state, unless the operation's path says whose it is.
func (p *Proxy) askedOf(c *call, roles []string) (attachmentAccess, error) {
	if roles != nil && len(roles) == 0 {
		return attachmentAccess{}, nil
	}
	all, open, err := p.requirements(c)
	if err != nil {
		return attachmentAccess{}, err
	}
	called := func(name func(requirement) string) (found []requirement) {
		for _, q := range all {
			if name(q) == c.values["attachment"] && (roles == nil || slices.Contains(roles, q.Role)) {
				found = append(found, q)
			}
		}
		return found
	}
	found := called(func(q requirement) string { return q.ID })
	if len(found) == 0 {
		found = called(func(q requirement) string { return q.Name })
	}
	if len(found) == 0 {
		return attachmentAccess{}, nil
	}
	q := found[0]
	shared := slices.ContainsFunc(all, func(other requirement) bool { return other.Role != q.Role && other.address() == q.address() })
	if len(found) > 1 || shared && !upstream.Names(c.Path, "role") {
		return attachmentAccess{}, fault.New(fault.SigningState)
	}
	c.values["attachment"], c.values["role"] = q.address(), q.Role
	return attachmentAccess{found: true, open: open}, nil
}

// address returns what the platform knows the requirement by.
func (q requirement) address() string { return cmp.Or(q.ID, q.Name) }

// requirements reads from the platform what each role of the package has to attach, and
// whether the package is out for signing.
func (p *Proxy) requirements(c *call) (all []requirement, open bool, err error) {
	pkg, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err != nil {
		return nil, false, err
	}
	for _, r := range pkg.Roles {
		for _, asked := range r.Files {
			all = append(all, requirement{asked, r.ID})
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
