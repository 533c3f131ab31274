package signing

// CheckAny takes any JSON.
func CheckAny(p *Payload, c Context) error {
	return p.check(c, "{[\"0tfn", func(*rules, value) {})
}

// CheckObject takes any object: what an operation does not need to be right.
func CheckObject(p *Payload, c Context) error {
	return p.check(c, "{", func(*rules, value) {})
}

// CheckList takes any array of objects, which are the documents of a package.
func CheckList(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		r.within("documents")
		for element := range v.elements() {
			element.object()
		}
	})
}

// CheckIDs takes an array of texts.
func CheckIDs(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		for element := range v.elements() {
			element.string()
		}
	})
}
