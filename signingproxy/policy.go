package signingproxy

import (
	"net/http"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
)

// A policy decides who can use an operation. It fills in the call's grant, or returns the
// reason for refusing. A person who has nothing to do with the package gets the same
// answer as for a package that does not exist.
type policy func(*Proxy, *call) error

// everybody admits everyone who is signed in.
func everybody(_ *Proxy, c *call) error {
	if c.who.Operator {
		c.grant.Access = index.Operator
	}
	return nil
}

// operators admits operators only.
func operators(_ *Proxy, c *call) error {
	if !c.who.Operator {
		return fault.New(fault.SigningOperatorsOnly)
	}
	c.grant.Access = index.Operator
	return nil
}

// creators admits everybody, or only operators if OperatorsCreate is set.
func creators(p *Proxy, c *call) error {
	if p.Service.OperatorsCreate {
		return operators(p, c)
	}
	return everybody(p, c)
}

// readers admits operators, the owner and the signers.
func readers(p *Proxy, c *call) error {
	if !c.who.Operator {
		return p.look(c)
	}
	c.grant.Access = index.Operator
	if c.Method != http.MethodGet && c.effect != service.Changed { // of which the index tells once they are done
		c.grant.Owner = p.Service.OwnerOf(c.ctx(), c.who, c.packageID())
	}
	return nil
}

// grantedReaders is readers for operations that depend on what the person is to the package,
// operators included.
func grantedReaders(p *Proxy, c *call) error { return p.look(c) }

// owners admits operators and the owner.
func owners(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	if c.grant.Access < index.Owner {
		return fault.New(fault.SigningReadOnly)
	}
	return nil
}

// cloners admits owners who can create packages.
func cloners(p *Proxy, c *call) error {
	if err := owners(p, c); err != nil {
		return err
	}
	if p.Service.OperatorsCreate {
		return operators(p, c)
	}
	return nil
}

// deleters admits owners. A completed package needs a confirmation.
func deleters(p *Proxy, c *call) error {
	if err := owners(p, c); err != nil {
		return err
	}
	if c.gin.Query("confirm") == "completed" {
		return nil
	}
	status, err := p.status(c)
	if err == nil && status == signing.StatusCompleted {
		err = fault.New(fault.SigningState)
	}
	return err
}

// finishers admits operators and the owner at any time, and a signer once everyone has
// signed.
func finishers(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	if c.grant.Access != index.Signer || signing.Finished(c.grant.Status) {
		return nil
	}
	// The status in the index may be out of date.
	status, err := p.status(c)
	if err == nil && !signing.Finished(status) {
		err = fault.New(fault.SigningState)
	}
	return err
}

// viewers admits readers; a signer only to documents that are visible to their role.
func viewers(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	if !c.grant.Sees(c.values["document"]) {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// status returns the package's status at the platform, now.
func (p *Proxy) status(c *call) (string, error) {
	pkg, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	return pkg.Status, err
}

// look reads the person's grant for the package from the index: the first time by the record
// that came with the session.
func (p *Proxy) look(c *call) (err error) {
	c.grant, err = p.Service.Index.AccessTo(c.ctx(), c.record, c.who.Person, c.who.Session, c.packageID())
	c.record = nil
	return err
}

// grantRefreshed is look for operations that depend on the roles of the package. It refreshes
// a package that the index does not know yet, because an operator is otherwise admitted
// without its roles.
func (p *Proxy) grantRefreshed(c *call) error {
	if err := p.look(c); err != nil || c.grant.Status != "" {
		return err
	}
	if err := p.Service.Index.Refresh(c.ctx(), c.packageID()); err != nil {
		return err
	}
	err := p.look(c)
	if err == nil && c.grant.Status == "" {
		err = fault.New(fault.RequestNotFound)
	}
	return err
}
