package signingproxy

import (
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// policy is who may use an operation: it fills in the call's grant, or
// says why not. Whoever has nothing to do with the package is told what the platform
// says of one that does not exist.
type policy func(*Proxy, *call) error

// everybody is whoever is signed in.
func everybody(_ *Proxy, c *call) error {
	if c.who.Operator {
		c.grant.Standing = index.Operator
	}
	return nil
}

// operators alone.
func operators(_ *Proxy, c *call) error {
	if !c.who.Operator {
		return fault.New(fault.SigningOperatorsOnly)
	}
	c.grant.Standing = index.Operator
	return nil
}

// creators are everybody, or operators alone.
func creators(p *Proxy, c *call) error {
	if p.Service.OperatorsCreate {
		return operators(p, c)
	}
	return everybody(p, c)
}

// readers are operator, owner and signer.
func readers(p *Proxy, c *call) error {
	if c.who.Operator {
		c.grant.Standing = index.Operator
		return nil
	}
	return p.look(c)
}

// owners are operator and owner.
func owners(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	if c.grant.Standing < index.Owner {
		return fault.New(fault.SigningReadOnly)
	}
	return nil
}

// cloners are owners, where they may create packages.
func cloners(p *Proxy, c *call) error {
	if err := owners(p, c); err != nil {
		return err
	}
	if p.Service.OperatorsCreate {
		return operators(p, c)
	}
	return nil
}

// deleters are owners; a package that is completed is deleted with a confirmation.
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

// finishers are operator and owner at any time, a signer when all have signed.
func finishers(p *Proxy, c *call) error {
	if err := readers(p, c); err != nil {
		return err
	}
	if c.grant.Standing != index.Signer || signing.Finished(c.grant.Status) {
		return nil
	}
	// What the index knows may be a little old.
	status, err := p.status(c)
	if err == nil && !signing.Finished(status) {
		err = fault.New(fault.SigningState)
	}
	return err
}

// viewers are readers; a signer of documents that are visible to their role.
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
	value, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err != nil {
		return "", err
	}
	pkg, err := signing.ReadPackage(value)
	return pkg.Status, err
}

// look asks whose the package is.
func (p *Proxy) look(c *call) (err error) {
	c.grant, err = p.Service.Index.Grant(c.ctx(), c.who.Person, c.who.Session, c.packageID())
	return err
}

// lookCloser is look for what depends on the roles of the package, which the index may
// not know yet: an operator is let in without them.
func (p *Proxy) lookCloser(c *call) error {
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
