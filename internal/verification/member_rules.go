package verification

import (
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/payload"
)

// members refuses members that would weaken a check or belong to the platform, in any letter
// case, since the platform may ignore case.
func (e *examination) members(whole payload.Object) {
	for _, name := range whole.Names() {
		member, _ := whole.RawMember(name)
		switch known := strings.ToLower(name); {
		case known == "configuration" && member.Kind() == '{':
			configuration, _ := member.Object()
			for _, inner := range configuration.Names() {
				part, _ := configuration.RawMember(inner)
				e.member(part, known+"."+strings.ToLower(inner))
			}
		case known != name && (known == "workflow_id" || known == "brand_id"):
			member.Note("field.client-member")
		default:
			e.member(member, known)
		}
	}
}

// member refuses a member, whose name comes in lower case, unless the settings allow it.
func (e *examination) member(v payload.Value, name string) {
	is := func(other string) bool { return strings.EqualFold(other, name) }
	switch {
	case v.Kind() == 'n', !slices.ContainsFunc(config.ClientMembers(), is), slices.ContainsFunc(e.ClientMembers, is):
	case name == "urlsetkey" && v.StringOrEmpty() == "default":
	default:
		v.Note("field.client-member")
	}
}
