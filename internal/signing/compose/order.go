package compose

import "slices"

// inOrder reports whether the roles, which stand in their order, sign one after the other.
func inOrder(roles []originRole) bool {
	return slices.ContainsFunc(roles, func(r originRole) bool { return r.Index != roles[0].Index })
}

// order returns the position of each recipient in the signing order. It stays as the platform
// has it, with those who sign side by side, while nobody is moved and the order is not turned on
// or off; who is added signs after all others, or when they do.
func (f *Form) order() []int {
	order := make([]int, len(f.Recipients))
	var known []int
	for i, r := range f.Recipients {
		if at, ok := f.at.role(r.roleID()); ok && len(known) == i {
			known = append(known, at.Index)
		} else if ok {
			known = nil // somebody new was moved before them
			break
		}
	}
	stays := len(known) > 0 && slices.IsSorted(known) && f.InOrder == inOrder(f.at.roles)
	last := 0
	for i := range f.Recipients {
		switch {
		case stays && i < len(known):
			last = known[i]
		case f.InOrder:
			last++
		case !stays:
			last = 0
		}
		order[i] = last
	}
	return order
}
