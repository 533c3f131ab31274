package signing

import "countersign/internal/payload"

// CheckAny accepts any JSON.
func CheckAny(p *Payload, c Context) error {
	return p.check(c, "{[\"0tfn", func(*rules, payload.Value) {})
}

// CheckObject accepts any object: the operation needs nothing of it to be right.
func CheckObject(p *Payload, c Context) error {
	return p.check(c, "{", func(*rules, payload.Value) {})
}

// CheckList applies the rules for the names of a package's documents, which are put in order.
func CheckList(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v payload.Value) {
		r.within("documents")
		for element := range v.Elements() {
			if o, ok := element.Object(); ok {
				r.documentName(o)
			}
		}
	})
}

// CheckIDs accepts an array of texts.
func CheckIDs(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v payload.Value) {
		for element := range v.Elements() {
			element.Text()
		}
	})
}
