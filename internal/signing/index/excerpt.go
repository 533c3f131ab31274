package index

import (
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/upstream"
)

// excerpted are the names, states and people of a package.
type excerpted struct {
	ID        string              `json:"id"`
	Name      string              `json:"name"`
	Status    string              `json:"status"`
	Type      string              `json:"type,omitzero"`
	Trashed   bool                `json:"trashed"`
	Created   string              `json:"created,omitzero"`
	Updated   string              `json:"updated,omitzero"`
	Completed string              `json:"completed,omitzero"`
	Due       string              `json:"due,omitzero"`
	Language  string              `json:"language,omitzero"`
	Sender    excerptedPerson     `json:"sender"`
	Roles     []excerptedRole     `json:"roles"`
	Documents []excerptedDocument `json:"documents"`
}

type excerptedRole struct {
	ID      string            `json:"id"`
	Name    string            `json:"name,omitzero"`
	Type    string            `json:"type,omitzero"`
	Index   int               `json:"index"`
	Signers []excerptedPerson `json:"signers"`
}

type excerptedPerson struct {
	ID        string `json:"id,omitzero"`
	Email     string `json:"email,omitzero"`
	FirstName string `json:"firstName,omitzero"`
	LastName  string `json:"lastName,omitzero"`
	Name      string `json:"name,omitzero"`
}

type excerptedDocument struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// asExcerpt reads of an item what of it is what it has to be.
var asExcerpt = upstream.Lenient(
	upstream.Expect[excerptedPerson]('{'), upstream.Expect[[]excerptedPerson]('['),
	upstream.Expect[excerptedRole]('{'), upstream.Expect[[]excerptedRole]('['),
	upstream.Expect[excerptedDocument]('{'), upstream.Expect[[]excerptedDocument]('['),
)

// excerpt is the names, states and people of an item, of that many people and documents
// at most.
func excerpt(item []byte, people int) ([]byte, error) {
	var e excerpted
	if err := json.Unmarshal(item, &e, asExcerpt); err != nil {
		return nil, err
	}
	e.Documents = e.Documents[:min(people, len(e.Documents))]
	e.Roles = firstOf(e.Roles, people, func(r *excerptedRole) *[]excerptedPerson { return &r.Signers })
	e.shorten()
	return json.Marshal(e)
}

// shorten bounds each text.
func (e *excerpted) shorten() {
	texts := []*string{&e.Name, &e.Status, &e.Type, &e.Created, &e.Updated, &e.Completed, &e.Due, &e.Language}
	people := []*excerptedPerson{&e.Sender}
	for i := range e.Roles {
		r := &e.Roles[i]
		texts = append(texts, &r.ID, &r.Name, &r.Type)
		for j := range r.Signers {
			people = append(people, &r.Signers[j])
		}
	}
	for i := range e.Documents {
		texts = append(texts, &e.Documents[i].ID, &e.Documents[i].Name)
	}
	for _, p := range people {
		texts = append(texts, &p.ID, &p.FirstName, &p.LastName, &p.Name)
		p.Email = name(p.Email)
	}
	for _, text := range texts {
		*text = shortened(*text)
	}
}

// firstOf are the first of roles, with so many people in all.
func firstOf[R, P any](roles []R, people int, of func(*R) *[]P) []R {
	roles = slices.Clone(roles)
	for i := range roles {
		if people <= 0 {
			return roles[:i]
		}
		signers := of(&roles[i])
		*signers = (*signers)[:min(people, len(*signers))]
		people -= max(1, len(*signers))
	}
	return roles
}

// shortened is the beginning of a text.
func shortened(text string) string {
	if len(text) <= maxName {
		return text
	}
	if runes := []rune(text); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return text
}

// name is what names somebody: nothing where it is longer than an address or a user may
// be, since a part of it would be somebody else's.
func name(of string) string {
	if len(of) > 4*maxName {
		return ""
	}
	return of
}

// boundedItem is an item as a record holds it, deflated, in room bytes; cut where it had to
// be an excerpt.
func boundedItem(item []byte, room int) (deflated []byte, cut bool, err error) {
	deflated = deflate(item)
	for people := maxPeople; len(deflated) > room && people > 0; people /= 2 {
		if item, err = excerpt(item, people-1); err != nil {
			return nil, false, err
		}
		deflated, cut = deflate(item), true
	}
	return deflated, cut, nil
}
