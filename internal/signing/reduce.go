package signing

import (
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Viewer is a signer who reads a package.
type Viewer struct {
	// Email is the signer's address.
	Email string
	// Roles are the ids of the roles that the signer has, Signers the signer's ids there.
	Roles, Signers []string
	// Documents reports whether these roles may see the document with that id.
	Documents func(id string) bool
}

// Sees reports whether v lets one of the roles see the document with that id.
func (v Visibility) Sees(document string, roles []string) bool {
	for _, d := range v.Configurations {
		if d.Document == document {
			return slices.ContainsFunc(d.Roles, func(id string) bool { return slices.Contains(roles, id) })
		}
	}
	return true
}

// Reduce returns the part of a package that a signer may see: of other people only their
// names, the visible documents with the approvals of the signer's own roles, and the
// messages to the signer. Members unknown here are left out until they are added to the
// shapes below. A hidden member is left out, never null; the others are the platform's
// bytes. JSON that cannot be read is platform.failed.
func Reduce(value jsontext.Value, viewer Viewer) (jsontext.Value, error) {
	return reduce(value, viewer.pkg())
}

// ReduceRole is Reduce for a role.
func ReduceRole(value jsontext.Value, viewer Viewer) (jsontext.Value, error) {
	return reduce(value, viewer.role)
}

// ReduceRoles is Reduce for a package's list of roles, {count, results}.
func ReduceRoles(value jsontext.Value, viewer Viewer) (jsontext.Value, error) {
	return reduce(value, verbatimMembers("count").with("results", list(viewer.role)).object)
}

// ReduceDocument is Reduce for a document. The caller checks that the signer may see it
// at all.
func ReduceDocument(value jsontext.Value, viewer Viewer) (jsontext.Value, error) {
	return reduce(value, viewer.document().object)
}

// ReduceApprovals is Reduce for a list of approvals: it keeps those of the viewer's
// roles.
func ReduceApprovals(value jsontext.Value, viewer Viewer) (jsontext.Value, error) {
	reduced, ok := list(viewer.approval)(make([]byte, 0, len(value)), value)
	if !ok || !value.IsValid() {
		return nil, fault.Wrap(fault.PlatformFailed, errors.New("the approvals that a signer asked for cannot be read"))
	}
	return reduced, nil
}

// OnlyID returns the package's id alone, {"id": …}.
func OnlyID(value jsontext.Value) (jsontext.Value, error) {
	return reduce(value, verbatimMembers("id").object)
}

func reduce(value jsontext.Value, how keep) (jsontext.Value, error) {
	if value.Kind() != '{' || !value.IsValid() {
		return nil, fault.Wrap(fault.PlatformFailed, errors.New("the signer's request is not an object"))
	}
	reduced, ok := how(make([]byte, 0, len(value)), value)
	if !ok {
		return nil, fault.Wrap(fault.PlatformFailed, errors.New("what a signer asked for cannot be read"))
	}
	return reduced, nil
}

// named keeps the members of a person that everybody may see.
var named = verbatimMembers("firstName", "lastName", "name")

// own keeps the members of a person that they see of themselves: not how they
// authenticate, nor who else is in their group.
var own = verbatimMembers("id", "email", "firstName", "lastName", "name", "company", "title", "phone", "language", "timezoneId",
	"address", "signerType", "signature", "delivery", "notificationMethods", "userCustomFields", "professionalIdentityFields",
	"specialTypes", "created", "updated").
	with("auth", verbatimMembers("scheme", "idvWorkflow").object).
	with("group", verbatimMembers("id", "name").object)

// pkg keeps a package without its data, its conditions (they name fields and values of
// other roles) and its alerts.
func (v Viewer) pkg() keep {
	return verbatimMembers("id", "name", "status", "type", "visibility", "autocomplete", "trashed", "notarized", "bulkSendable",
		"description", "emailMessage", "created", "updated", "completed", "due", "language", "timezoneId", "consent",
		"notaryRoleId", "limits").
		with("settings", verbatimMembers("ceremony").object).
		with("sender", named.object).
		with("roles", list(v.role)).
		with("documents", list(v.visibleDocument)).
		with("messages", list(v.message)).object
}

var (
	ownRole    = verbatimMembers("id", "name", "type", "index", "reassign", "locked", "specialTypes", "emailMessage", "attachmentRequirements")
	othersRole = verbatimMembers("id", "name", "type", "index", "reassign", "locked", "specialTypes")
)

func (v Viewer) role(out []byte, value jsontext.Value) ([]byte, bool) {
	var r struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(value, &r) != nil {
		return out, false
	}
	role := othersRole
	if slices.Contains(v.Roles, r.ID) {
		role = ownRole
	}
	return maps.Clone(role).with("signers", list(v.signer)).object(out, value)
}

func (v Viewer) signer(out []byte, value jsontext.Value) ([]byte, bool) {
	if v.is(value) {
		return own.object(out, value)
	}
	return named.object(out, value)
}

// is reports whether a person of a package is the viewer, by the e-mail address, or by
// the id if the person has no address.
func (v Viewer) is(person jsontext.Value) bool {
	var p struct {
		ID    string `json:"id"`
		Email string `json:"email"`
	}
	switch {
	case json.Unmarshal(person, &p) != nil:
		return false
	case p.Email == "":
		return p.ID != "" && slices.Contains(v.Signers, p.ID)
	}
	return payload.FoldAddress(p.Email) == payload.FoldAddress(v.Email)
}

func (v Viewer) visibleDocument(out []byte, value jsontext.Value) ([]byte, bool) {
	var d struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(value, &d) != nil || !v.Documents(d.ID) {
		return out, false
	}
	return v.document().object(out, value)
}

var page = verbatimMembers("id", "index", "version", "top", "left", "width", "height")

func (v Viewer) document() shape {
	return verbatimMembers("id", "name", "description", "index", "size", "extract", "extractionTypes", "tagged", "status",
		"signedHash", "externalSigned").
		with("pages", list(page.object)).
		with("fields", list(field.object)).
		with("approvals", list(v.approval))
}

var approval = verbatimMembers("id", "name", "role", "optional", "disabled", "enforceCaptureSignature", "accepted", "signed",
	"fromFile", "tooltip").with("fields", list(field.object))

func (v Viewer) approval(out []byte, value jsontext.Value) ([]byte, bool) {
	var a struct {
		Role string `json:"role"`
	}
	if json.Unmarshal(value, &a) != nil || !slices.Contains(v.Roles, a.Role) {
		return out, false
	}
	return approval.object(out, value)
}

var field = verbatimMembers("id", "name", "type", "subtype", "page", "extract", "top", "left", "width", "height", "value",
	"binding", "validation", "extractAnchor", "fontSize", "tooltip")

// message keeps a message that is addressed to the viewer.
func (v Viewer) message(out []byte, value jsontext.Value) ([]byte, bool) {
	var m struct {
		To []jsontext.Value `json:"to"`
	}
	if json.Unmarshal(value, &m) != nil || !slices.ContainsFunc(m.To, v.is) {
		return out, false
	}
	return verbatimMembers("status", "created", "content").
		with("from", v.signer).
		with("to", list(v.signer)).
		with("documents", list(v.visibleDocument)).object(out, value)
}
