package platform

import (
	"context"
	"errors"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

var errNamed = errors.New("clonePackage: the template names signers")

// Template creates a template from the package with that id, without its signers, and
// returns the template's id. Should the platform keep the signers in spite of the request,
// they are removed, or else the template is.
func (c *Client) Template(ctx context.Context, id string, as signing.Copy) (string, error) {
	p, err := c.Package(ctx, id)
	if err == nil {
		err = p.Strict()
	}
	if err != nil {
		return "", err
	}
	as.Type, as.Roles = signing.TypeTemplate, p.Placeholders()
	made, err := c.Clone(ctx, id, as)
	if err != nil {
		return "", err
	}
	if err := c.RemoveNames(ctx, made); err != nil {
		return "", errors.Join(err, c.Delete(context.WithoutCancel(ctx), made))
	}
	return made, nil
}

// RemoveNames removes the signers from the roles of a template that has some.
func (c *Client) RemoveNames(ctx context.Context, id string) error {
	for _, last := range []bool{false, true} {
		p, err := c.Package(ctx, id)
		if err != nil {
			return err
		}
		named := slices.DeleteFunc(p.Roles, func(r signing.Role) bool { return r.Type == signing.RoleSender || len(r.Signers) == 0 })
		switch {
		case len(named) == 0:
			return nil
		case last:
			return fault.Wrap(fault.PlatformFailed, errNamed)
		}
		for _, r := range named {
			if err := c.ChangeRole(ctx, id, r.ID, map[string]any{"index": r.Index, "reassign": false, "signers": []signing.Signer{}}); err != nil {
				return err
			}
		}
	}
	return nil
}
