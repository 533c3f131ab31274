package verification

import (
	"slices"
	"strings"

	"countersign/internal/config"
)

// members refuses members that would weaken a check or belong to the platform, in any letter
// case, since the platform may ignore case.
func (e *examination) members(whole *node) {
	for _, name := range whole.names {
		member := whole.members[name]
		switch known := strings.ToLower(name); {
		case known == "configuration" && member.kind == '{':
			for _, inner := range member.names {
				e.member(member.members[inner], known+"."+strings.ToLower(inner))
			}
		case known != name && (known == "workflow_id" || known == "brand_id"):
			e.note(member.pointer, "field.client-member")
		default:
			e.member(member, known)
		}
	}
}

// member refuses a member, whose name comes in lower case, unless the settings allow it.
func (e *examination) member(n *node, name string) {
	is := func(other string) bool { return strings.EqualFold(other, name) }
	switch {
	case n.kind == 'n', !slices.ContainsFunc(config.ClientMembers(), is), slices.ContainsFunc(e.ClientMembers, is):
	case name == "urlsetkey" && n.kind == '"' && n.text == "default":
	default:
		e.note(n.pointer, "field.client-member")
	}
}
