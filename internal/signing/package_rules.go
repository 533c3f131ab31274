package signing

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/payload"
)

// CheckPackage applies the rules for creating a package.
func CheckPackage(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.created = true
		r.within()
		o, _ := v.Object()
		o.NonEmpty("name")
		o.Text("status", StatusDraft, StatusSent)
		r.ofPackage(o)
	})
}

// CheckPackageUpdate applies the rules for updating a package, of which only the named
// members change (docs/platform.md S2).
func CheckPackageUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.within()
		o, _ := v.Object()
		o.Text("status", StatusDraft, StatusSent, StatusCompleted, StatusArchived, StatusDeclined, StatusOptedOut, StatusExpired)
		r.ofPackage(o)
	})
}

// CheckClone applies the rules for what a copy of a package does not take from the
// original.
func CheckClone(p *Payload, c Context) error {
	c.Package = nil // the copy's ids are its own
	return CheckPackageUpdate(p, c)
}

func (r *rules) ofPackage(o payload.Object) {
	r.sized(o, "name")
	r.limitProse(o, "description", "emailMessage")
	kind, ok := o.Text("type")
	kind = strings.ToUpper(kind)
	if ok && !slices.Contains(types, kind) {
		o.Note("type", "field.choice")
	}
	o.Booleans("autocomplete", "trashed")
	r.dateTime(o, "due")
	if o.Has("sender") && !r.Operator && !r.repeatsSender(o.Pointer()+"/sender") {
		o.Note("sender", "field.sender")
	}
	if v, ok := o.Member("sender"); ok && v.Kind() == '{' {
		sender, _ := v.Object()
		r.limitPerson(sender)
	}
	r.ownData(o)
	r.sent = o.StringOrEmpty("status") == StatusSent && kind != TypeTemplate
	for role := range o.Elements("roles") {
		r.role(role)
	}
	r.distinct(slices.Collect(o.Elements("roles"))...)
	if roles, ok := o.Member("roles"); ok {
		r.countRoles(roles, o.Elements("roles"))
	}
	if r.Package != nil {
		for _, role := range r.Package.Roles {
			r.roles[role.ID] = true
		}
	}
	r.documents(o)
}

// repeatsSender reports whether the sender at the pointer is the stored one by its
// e-mail address and says nothing else of it: SDKs send back what they have read, with
// filler for what is not set.
func (r *rules) repeatsSender(pointer string) bool {
	t := r.twin(pointer)
	given, _ := t.given.(map[string]any)
	stored, _ := t.stored.(map[string]any)
	address, _ := given["email"].(string)
	if _, ok := withMember([]any{t.stored}, "email", address); !ok || address == "" {
		return false
	}
	for name, value := range given {
		if name != "email" && !isSenderFiller(name, value, stored[name]) && !reflect.DeepEqual(value, stored[name]) {
			return false
		}
	}
	return true
}

// isSenderFiller reports whether a member of a sender has the value that SDKs send if it
// is not set.
func isSenderFiller(name string, value, stored any) bool {
	switch list, _ := value.([]any); {
	case name == "status":
		return value == "INVITED"
	case name == "type":
		return value == "REGULAR"
	case value == nil, value == "":
		return stored == nil || stored == ""
	default:
		return list != nil && len(list) == 0
	}
}

// dateTime is a time with its zone (RFC 3339, or with an offset without colon, as the
// SDKs of the platform write it), where it is there.
func (r *rules) dateTime(o payload.Object, name string) {
	text, ok := o.Text(name)
	if !ok {
		return
	}
	var t time.Time
	if t.UnmarshalText([]byte(compactOffset.ReplaceAllString(text, "$1:$2"))) != nil {
		o.Note(name, "field.date-time")
	}
}

var compactOffset = regexp.MustCompile(`([+-][0-9]{2})([0-9]{2})$`)
