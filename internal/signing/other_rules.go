package signing

// CheckAny accepts any JSON.
func CheckAny(p *Payload, c Context) error {
	return p.check(c, "{[\"0tfn", func(*rules, value) {})
}

// CheckObject accepts any object: the operation needs nothing of it to be right.
func CheckObject(p *Payload, c Context) error {
	return p.check(c, "{", func(*rules, value) {})
}

// CheckList accepts any array of objects, which are the documents of a package.
func CheckList(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		r.within("documents")
		for element := range v.elements() {
			element.object()
		}
	})
}

// CheckIDs accepts an array of texts.
func CheckIDs(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		for element := range v.elements() {
			element.string()
		}
	})
}
