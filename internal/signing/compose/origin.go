package compose

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/signing"
)

// origin is what the platform has of a draft, whole: members that a form does not know, too.
// A form with a zero one has no draft.
type origin struct {
	roles     []originRole
	documents map[string][]originApproval // by id
	// conditions are the package's.
	conditions jsontext.Value
}

// originRole is a role with its members, and those of its signers and of the files that it is
// asked for.
type originRole struct {
	signing.RoleChange
	signers, files []jsontext.Value
}

// originApproval is an approval with its members; role is its role's id.
type originApproval struct {
	id, role string
	members  map[string]jsontext.Value
	fields   []originField
}

// originField is a field, as it is read and with all of its members.
type originField struct {
	signing.Field
	members jsontext.Value
}

// originOf returns what the platform has of a package.
func originOf(p signing.Package) origin {
	var whole struct {
		Roles []struct {
			ID      string           `json:"id"`
			Signers []jsontext.Value `json:"signers"`
			Files   []jsontext.Value `json:"attachmentRequirements"`
		} `json:"roles"`
		Documents []struct {
			ID        string           `json:"id"`
			Approvals []jsontext.Value `json:"approvals"`
		} `json:"documents"`
	}
	_ = payload.UnmarshalLenient(p.Raw(), &whole) // it was read before
	at := origin{documents: map[string][]originApproval{}, conditions: p.Conditions}
	for i, r := range p.Roles {
		if r.Type != signing.RoleSender && i < len(whole.Roles) {
			at.roles = append(at.roles, originRole{r.Change(), whole.Roles[i].Signers, whole.Roles[i].Files})
		}
	}
	slices.SortStableFunc(at.roles, func(a, b originRole) int { return cmp.Compare(a.Index, b.Index) })
	for _, d := range whole.Documents {
		if d.ID == signing.ConsentDocument {
			continue
		}
		for i, value := range d.Approvals {
			at.documents[d.ID] = append(at.documents[d.ID], originApprovalOf(strconv.Itoa(i), value))
		}
	}
	return at
}

// originApprovalOf reads an approval; place stands for the ids that it lacks.
func originApprovalOf(place string, value jsontext.Value) originApproval {
	var read struct {
		ID     string           `json:"id"`
		Role   string           `json:"role"`
		Fields []jsontext.Value `json:"fields"`
	}
	_ = payload.UnmarshalLenient(value, &read) // it was read before
	a := originApproval{id: cmp.Or(read.ID, "."+place), role: read.Role, members: payload.Members(value)}
	for i, members := range read.Fields {
		f := originField{members: members}
		_ = payload.UnmarshalLenient(members, &f.Field)
		f.ID = cmp.Or(f.ID, "."+place+"."+strconv.Itoa(i))
		a.fields = append(a.fields, f)
	}
	return a
}

// role returns the role with that id; ok is false if there is none.
func (o origin) role(id string) (r originRole, ok bool) {
	i := slices.IndexFunc(o.roles, func(r originRole) bool { return r.ID == id })
	if i < 0 {
		return r, false
	}
	return o.roles[i], true
}

// field returns the field with that id in a document, with its role.
func (o origin) field(document, id string) (f originField, role string, ok bool) {
	for _, a := range o.documents[document] {
		for _, f := range a.fields {
			if f.ID == id {
				return f, a.role, true
			}
		}
	}
	return f, "", false
}

// has reports whether the platform has the part of the form that a program has set.
func (o origin) has(d Field) bool {
	if d.Approval != "" {
		return slices.ContainsFunc(o.documents[d.From], func(a originApproval) bool { return a.id == d.Approval && len(a.fields) == 0 })
	}
	_, _, ok := o.field(d.From, d.ID)
	return ok
}
