package signing

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// The types of what a copy becomes.
const (
	TypePackage  = "PACKAGE"
	TypeTemplate = "TEMPLATE"
)

// PlaceholderRole is a role of a template: what its signer does and is asked for, without
// the signer.
type PlaceholderRole struct {
	ID       string        `json:"id"`
	Name     string        `json:"name,omitzero"`
	Type     string        `json:"type,omitzero"`
	Index    int           `json:"index"`
	Reassign bool          `json:"reassign"`
	Signers  []DraftSigner `json:"signers"`
	Files    []AskedFile   `json:"attachmentRequirements,omitzero"`
}

// AskedFile is a file that a signer is asked to attach.
type AskedFile struct {
	ID          string `json:"id,omitzero"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required"`
}

// Placeholders returns the roles of a package without their signers. A role whose name
// names its signer loses the name.
func Placeholders(value jsontext.Value) (roles []PlaceholderRole, err error) {
	var p struct {
		Roles []PlaceholderRole `json:"roles"`
	}
	if err := json.Unmarshal(value, &p, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, unreadable(err)
	}
	for _, r := range p.Roles {
		if r.Type == "SENDER" {
			continue
		}
		if slices.ContainsFunc(r.Signers, func(s DraftSigner) bool { return Names(r.Name, s.FirstName, s.LastName, s.Email) }) {
			r.Name = ""
		}
		r.Signers = []DraftSigner{}
		roles = append(roles, r)
	}
	return roles, nil
}

// Names reports whether a text contains one of the names, in whatever case.
func Names(text string, names ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(text, strings.ToLower(name)) })
}

var errNamed = errors.New("clonePackage: the template names signers")

// Template creates a template from the package with that id, without its signers, and
// returns the template's id. Should the platform keep the signers in spite of the request,
// they are removed, or else the template is.
func (c *Client) Template(ctx context.Context, id string, as Copy) (string, error) {
	value, err := c.Package(ctx, id)
	if err != nil {
		return "", err
	}
	as.Type = TypeTemplate
	if as.Roles, err = Placeholders(value); err != nil {
		return "", err
	}
	made, err := c.Clone(ctx, id, as)
	if err != nil {
		return "", err
	}
	if err := c.unname(ctx, made); err != nil {
		return "", errors.Join(err, c.Delete(context.WithoutCancel(ctx), made))
	}
	return made, nil
}

// unname removes the signers from the roles of a template that has some.
func (c *Client) unname(ctx context.Context, id string) error {
	for _, last := range []bool{false, true} {
		value, err := c.Package(ctx, id)
		if err != nil {
			return err
		}
		p, err := ReadPackage(value)
		if err != nil {
			return err
		}
		named := slices.DeleteFunc(p.Roles, func(r Role) bool { return r.Type == "SENDER" || len(r.Signers) == 0 })
		switch {
		case len(named) == 0:
			return nil
		case last:
			return fault.Wrap(fault.PlatformFailed, errNamed)
		}
		for _, r := range named {
			if err := c.ChangeRole(ctx, id, r.ID, DraftRole{Index: r.Index, Signers: []DraftSigner{}}); err != nil {
				return err
			}
		}
	}
	return nil
}
