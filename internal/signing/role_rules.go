package signing

import (
	"regexp"
	"slices"
	"strconv"

	"countersign/internal/intake"
)

// CheckRole applies the rules for adding a role to a package.
func CheckRole(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.created = true
		r.addStored(nil)
		r.role(v)
		r.distinct(v)
		r.countRoles(v, one(v))
	})
}

// CheckRoleUpdate applies the rules for updating the role that the path names.
func CheckRoleUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.addStored(map[string]bool{c.Role: true})
		r.within("roles", c.Role)
		r.role(v)
		r.distinct(v)
	})
}

// CheckRoles applies the rules for replacing the roles of a package.
func CheckRoles(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		r.within("roles")
		named := map[string]bool{}
		for role := range v.elements() {
			if o, ok := role.object(); ok {
				named[o.peek("id")] = true
			}
		}
		r.addStored(named)
		for role := range v.elements() {
			r.role(role)
		}
		r.distinct(slices.Collect(v.elements())...)
		r.countRoles(v, v.elements())
	})
}

// identifier matches what can name a thing in a path. Its length is checked apart: a
// pattern that counts to 255 takes half a millisecond to compile, at every start.
var identifier = regexp.MustCompile(`^[A-Za-z0-9._=@+~ -]+$`)

// ValidID reports whether id can name a package, or a part of one, in a path.
func ValidID(id string) bool {
	return len(id) <= 255 && identifier.MatchString(id) && id != "." && id != ".."
}

// id returns the member id and notes it if it does not fit into a path.
func (o object) id() string {
	id, ok := o.string("id")
	if ok && id != "" && !ValidID(id) {
		o.note("id", "field.id")
	}
	return id
}

func (r *rules) role(v value) {
	o, ok := v.object()
	if !ok {
		return
	}
	r.roleID(o)
	kind := o.choice("type", "SIGNER", "SENDER")
	o.booleans("reassign")
	o.limitNames("name")
	o.limitEmailMessage()
	o.limitDescriptions("attachmentRequirements")
	signers := 0
	for signer := range o.elements("signers") {
		signers++
		r.signer(signer)
	}
	complete := r.created || r.Package == nil || o.has("signers")
	if r.sent && signers == 0 && kind != "SENDER" && complete {
		o.note("signers", "field.signers")
	}
}

// roleID checks that no other role has the id, and that a stored role keeps its own.
func (r *rules) roleID(o object) {
	id := o.id()
	switch {
	case !ValidID(id):
	case r.Role != "" && id != r.Role:
		o.note("id", "field.role-id")
	case r.roles[id]:
		o.note("id", "field.taken")
	default:
		r.roles[id] = true
	}
}

func (r *rules) signer(v value) {
	o, ok := v.object()
	if !ok {
		return
	}
	if r.created {
		for _, name := range []string{"email", "firstName", "lastName"} {
			o.required(name)
		}
	} else {
		o.strings("firstName", "lastName")
	}
	o.strings("id")
	o.limitPerson()
	if email, ok := o.string("email"); ok && (email != "" || !r.created) {
		r.email(o, email)
	}
	r.notified(o)
}

func (r *rules) email(o object, email string) {
	switch folded := intake.FoldAddress(email); {
	case !intake.IsAddress(email) && !r.isUnchanged(o.pointer+"/email"):
		o.note("email", "field.email")
	case r.emails[folded]:
		o.note("email", "field.taken")
	case r.Production && intake.IsReserved(email):
		o.note("email", "field.email-reserved")
	default:
		r.emails[folded] = true
	}
}

// notified checks how a signer is notified: by SMS only with a phone.
func (r *rules) notified(o object) {
	stored := r.storedRole(r.Role).signer(o.peek("id"), o.peek("email"))
	phone, _ := o.string("phone")
	if phone != "" && !intake.IsPhone(phone) {
		o.note("phone", "field.phone")
	}
	if !o.has("phone") {
		phone = stored.Phone
	}
	methods := stored.NotificationMethods.Primary
	if v, ok := o.member("notificationMethods"); ok {
		if m, ok := v.object(); ok && m.has("primary") {
			methods = m.methods()
		}
	}
	if phone == "" && slices.Contains(methods, "SMS") {
		o.note("phone", "field.phone-required")
	}
}

// CheckNotification applies the rules for a message to a signer of a package.
func CheckNotification(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		o, _ := v.object()
		if email, ok := o.string("email"); ok {
			r.email(o, email)
		}
		o.strings("message")
		o.limitProse("message")
	})
}

// methods returns the notification methods: at least one, each once.
func (o object) methods() []string {
	v, _ := o.member("primary")
	var all []string
	if v.text.Kind() == '[' {
		for method := range v.elements() {
			all = append(all, method.notification())
		}
	}
	known := func(method string) bool { return slices.Contains(notifications, method) }
	if count := len(all); count == 0 || count > 2 || !known(all[0]) || !known(all[count-1]) || count == 2 && all[0] == all[1] {
		v.note("field.notification")
	}
	return all
}

// notifications are the notification methods, each at the number that an official SDK
// sends for it.
var notifications = []string{"EMAIL", "SMS"}

// notification returns a notification method. A number is replaced in the payload by its
// word.
func (v value) notification() string {
	if v.text.Kind() != '0' {
		return v.peek()
	}
	number, err := strconv.ParseFloat(string(v.text), 64)
	for i, word := range notifications {
		if err == nil && number == float64(i) {
			v.rules.payload.replace(v.offset, v.offset+len(v.text), strconv.Quote(word))
			return word
		}
	}
	return ""
}
