package signing

import (
	"cmp"
	"regexp"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// Seed is what the account holds at the beginning.
type Seed struct {
	CustomFields []SeedField
	Packages     []SeedPackage
}

// SeedField is a custom field of a seed.
type SeedField struct {
	ID           string            `yaml:"id"`
	Value        *string           `yaml:"value"`
	Required     bool              `yaml:"required"`
	Translations []SeedTranslation `yaml:"translations"`
}

// SeedTranslation names a custom field in a language; en where none is given.
type SeedTranslation struct {
	Language    string `yaml:"language"`
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

// SeedPackage is a package of a seed. It has no documents.
type SeedPackage struct {
	ID          string       `yaml:"id"` // "" has the platform make one
	Name        string       `yaml:"name"`
	Description string       `yaml:"description"`
	Status      string       `yaml:"status"` // DRAFT
	Owner       string       `yaml:"owner"`  // userID@domain, as data.countersign.owner
	Signers     []SeedSigner `yaml:"signers"`
	Age         string       `yaml:"age"` // since its last change, such as 36h; none
}

// SeedSigner is a signer of a package, with a separate role.
type SeedSigner struct {
	Email     string `yaml:"email"`
	FirstName string `yaml:"firstName"`
	LastName  string `yaml:"lastName"`
}

func (f SeedField) field() customField {
	made := customField{ID: f.ID, Value: f.Value, Required: f.Required}
	for _, t := range f.Translations {
		made.Translations = append(made.Translations, translation{Language: t.Language, Name: t.Name, Description: t.Description})
	}
	return made
}

// Check reports what is wrong with the field, which stands at that place.
func (f SeedField) Check(rules *wire.Rules, place string) {
	rules.Required(place+".id", &f.ID)
	checkAccountField(f.field(), rules, place+".")
}

var seedID = regexp.MustCompile(`^[A-Za-z0-9_=-]{0,64}$`)

// Check reports what is wrong with the package, which stands at that place.
func (p SeedPackage) Check(rules *wire.Rules, place string) {
	p.check(rules, place)
	if _, err := p.made(time.Time{}); err != nil && rules.Err() == nil {
		rules.Broken(place, "is not a package: "+err.Error())
	}
}

func (p SeedPackage) check(rules *wire.Rules, place string) {
	rules.Matches(place+".id", &p.ID, seedID, "at most 64 letters, digits and -, _, =")
	rules.Required(place+".name", &p.Name)
	checkStatus(rules, place+".status", p.Status)
	rules.Age(place+".age", p.Age)
	for i, s := range p.Signers {
		at := place + ".signers." + strconv.Itoa(i)
		rules.Email(at+".email", &s.Email)
		rules.Required(at+".firstName", &s.FirstName)
		rules.Required(at+".lastName", &s.LastName)
	}
}

// plant stores what the seed holds, without sending events. It was checked.
func (s *Server) plant() {
	_ = s.fields.act(func(fields map[string]customField) { // they are enabled
		for _, one := range s.seed.CustomFields {
			field := one.field()
			field.complete()
			fields[field.ID] = field
		}
	})
	for _, one := range s.seed.Packages {
		age, _ := time.ParseDuration(cmp.Or(one.Age, "0s"))
		if made, err := one.made(s.now().Add(-age)); err == nil {
			s.store.add(made)
		}
	}
}

// made returns the package, last changed at that time.
func (p SeedPackage) made(at time.Time) (*pkg, error) {
	made := newPackage(at)
	made.ID, made.Name, made.Description, made.Status = cmp.Or(p.ID, made.ID), p.Name, p.Description, cmp.Or(p.Status, draft)
	for i, s := range p.Signers {
		id := "signer" + strconv.Itoa(i+1)
		made.Roles = append(made.Roles, role{ID: id, Signers: []signer{{ID: id, Email: s.Email, FirstName: s.FirstName, LastName: s.LastName}}})
	}
	if p.Owner != "" {
		data, err := json.Marshal(map[string]any{"countersign": map[string]string{"owner": p.Owner}})
		if err != nil {
			return nil, err
		}
		made.Data = data
	}
	if made.Status == completed || made.Status == archived {
		made.Completed = &made.Updated
	}
	return made, made.complete(at)
}
