package signing

import (
	"slices"
	"strconv"
	"strings"

	"countersign/internal/payload"
)

// CheckRole applies the rules for adding a role to a package.
func CheckRole(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.created = true
		r.addStored(nil)
		r.role(v)
		r.distinct(v)
		r.countRoles(v, one(v))
	})
}

// CheckRoleUpdate applies the rules for updating the role that the path names.
func CheckRoleUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.addStored(map[string]bool{c.Role: true})
		r.within("roles", c.Role)
		r.role(v)
		r.distinct(v)
	})
}

// CheckRoles applies the rules for replacing the roles of a package.
func CheckRoles(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v payload.Value) {
		r.within("roles")
		named := map[string]bool{}
		for role := range v.Elements() {
			if o, ok := role.Object(); ok {
				named[o.StringOrEmpty("id")] = true
			}
		}
		r.addStored(named)
		for role := range v.Elements() {
			r.role(role)
		}
		r.distinct(slices.Collect(v.Elements())...)
		r.countRoles(v, v.Elements())
	})
}

// ValidID reports whether id can name a package, or a part of one, in a path.
func ValidID(id string) bool {
	const others = "._=@+~ -"
	for _, b := range []byte(id) {
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		if !letter && (b < '0' || b > '9') && strings.IndexByte(others, b) < 0 {
			return false
		}
	}
	return id != "" && len(id) <= 255 && id != "." && id != ".."
}

// id returns the member id and notes it if it does not fit into a path.
func (r *rules) id(o payload.Object) string {
	id, ok := o.Text("id")
	if ok && id != "" && !ValidID(id) {
		o.Note("id", "field.id")
	}
	return id
}

func (r *rules) role(v payload.Value) {
	o, ok := v.Object()
	if !ok {
		return
	}
	r.roleID(o)
	kind, _ := o.Text("type", RoleSigner, RoleSender)
	o.Booleans("reassign")
	r.limitNames(o, "name")
	r.limitEmailMessage(o)
	r.limitDescriptions(o, "attachmentRequirements")
	r.inList(o, "attachmentRequirements", "name")
	signers := 0
	for signer := range o.Elements("signers") {
		signers++
		r.signer(signer)
	}
	complete := r.created || r.Package == nil || o.Has("signers")
	if r.sent && signers == 0 && kind != RoleSender && complete {
		o.Note("signers", "field.signers")
	}
}

// roleID checks that no other role has the id, and that a stored role keeps its own.
func (r *rules) roleID(o payload.Object) {
	id := r.id(o)
	switch {
	case !ValidID(id):
	case r.Role != "" && id != r.Role:
		o.Note("id", "field.role-id")
	case r.roles[id]:
		o.Note("id", "field.taken")
	default:
		r.roles[id] = true
	}
}

func (r *rules) signer(v payload.Value) {
	o, ok := v.Object()
	if !ok {
		return
	}
	if r.created {
		for _, name := range []string{"email", "firstName", "lastName"} {
			o.NonEmpty(name)
		}
	} else {
		o.OptionalStrings("firstName", "lastName")
	}
	o.OptionalStrings("id")
	r.onLine(o, "id")
	r.limitPerson(o)
	if email, ok := o.Text("email"); ok && (email != "" || !r.created) {
		r.email(o, email)
	}
	r.notified(o)
}

func (r *rules) email(o payload.Object, email string) {
	switch folded := payload.FoldAddress(email); {
	case !payload.IsAddress(email) && !r.isUnchanged(o.Pointer()+"/email"):
		o.Note("email", payload.AddressDetail(email))
	case r.emails[folded]:
		o.Note("email", "field.taken")
	case r.Production && payload.IsReserved(email):
		o.Note("email", "field.email-reserved")
	default:
		r.emails[folded] = true
	}
}

// notified checks how a signer is notified: by SMS only with a phone.
func (r *rules) notified(o payload.Object) {
	stored := r.storedRole(r.Role).signer(o.StringOrEmpty("id"), o.StringOrEmpty("email"))
	phone, _ := o.Text("phone")
	if phone != "" && !payload.IsPhone(phone) {
		o.Note("phone", "field.phone")
	}
	if !o.Has("phone") {
		phone = stored.Phone
	}
	methods := stored.Notify.Primary
	if v, ok := o.Member("notificationMethods"); ok {
		if m, ok := v.Object(); ok && m.Has("primary") {
			methods = r.methods(m)
		}
	}
	if phone == "" && slices.Contains(methods, NotifyBySMS) {
		o.Note("phone", "field.phone-required")
	}
}

// CheckNotification applies the rules for a message to a signer of a package.
func CheckNotification(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		o, _ := v.Object()
		if email, ok := o.Text("email"); ok {
			r.email(o, email)
		}
		o.OptionalStrings("message")
		r.limitProse(o, "message")
	})
}

// methods returns the notification methods: at least one, each once.
func (r *rules) methods(o payload.Object) []string {
	v, _ := o.Member("primary")
	var all []string
	if v.Kind() == '[' {
		for method := range v.Elements() {
			all = append(all, r.notification(method))
		}
	}
	known := func(method string) bool { return slices.Contains(notifications, method) }
	if count := len(all); count == 0 || count > 2 || !known(all[0]) || !known(all[count-1]) || count == 2 && all[0] == all[1] {
		v.Note("field.notification")
	}
	return all
}

// notifications are the notification methods, each at the number that an official SDK
// sends for it.
var notifications = []string{NotifyByEmail, NotifyBySMS}

// notification returns a notification method. A number is replaced in the payload by its
// word.
func (r *rules) notification(v payload.Value) string {
	if v.Kind() != '0' {
		return v.StringOrEmpty()
	}
	number, err := strconv.ParseFloat(string(v.Raw()), 64)
	for i, word := range notifications {
		if err == nil && number == float64(i) {
			r.payload.replace(v.Place(), strconv.Quote(word))
			return word
		}
	}
	return ""
}
