package signing

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// CheckPackage applies the rules for creating a package.
func CheckPackage(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.created = true
		r.within()
		o, _ := v.object()
		o.required("name")
		o.choice("status", StatusDraft, StatusSent)
		r.ofPackage(o)
	})
}

// CheckPackageUpdate applies the rules for updating a package.
func CheckPackageUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.within()
		o, _ := v.object()
		o.choice("status", StatusDraft, StatusSent, StatusCompleted, StatusArchived, StatusDeclined, StatusOptedOut, StatusExpired)
		r.ofPackage(o)
	})
}

// CheckClone applies the rules for what a copy of a package does not take from the
// original.
func CheckClone(p *Payload, c Context) error {
	c.Package = nil // the copy's ids are its own
	return CheckPackageUpdate(p, c)
}

func (r *rules) ofPackage(o object) {
	o.sized("name")
	o.limitProse("description", "emailMessage")
	kind, ok := o.string("type")
	kind = strings.ToUpper(kind)
	if ok && !slices.Contains([]string{"PACKAGE", "TEMPLATE", "LAYOUT"}, kind) {
		o.note("type", "field.choice")
	}
	o.booleans("autocomplete", "trashed")
	o.dateTime("due")
	if o.has("sender") && !r.Operator && !r.repeatsSender(o.pointer+"/sender") {
		o.note("sender", "field.sender")
	}
	if v, ok := o.member("sender"); ok && v.text.Kind() == '{' {
		sender, _ := v.object()
		sender.limitPerson()
	}
	r.ownData(o)
	r.sent = o.peek("status") == StatusSent && kind != "TEMPLATE"
	for role := range o.elements("roles") {
		r.role(role)
	}
	r.distinct(slices.Collect(o.elements("roles"))...)
	if roles, ok := o.member("roles"); ok {
		r.countRoles(roles, o.elements("roles"))
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
func (o object) dateTime(name string) {
	text, ok := o.string(name)
	if !ok {
		return
	}
	var t time.Time
	if t.UnmarshalText([]byte(compactOffset.ReplaceAllString(text, "$1:$2"))) != nil {
		o.note(name, "field.date-time")
	}
}

var compactOffset = regexp.MustCompile(`([+-][0-9]{2})([0-9]{2})$`)
