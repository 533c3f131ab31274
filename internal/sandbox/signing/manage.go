package signing

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/internal/sandbox/wire"
)

// AccountInput changes the account; a member that is absent or null stays unchanged.
type AccountInput struct {
	CustomFields *bool   `json:"customFields"` // enables or disables them
	PageBounds   *string `json:"pageBounds"`   // inclusive or exclusive
	MaxPage      *int    `json:"maxPage"`
	CallbackURL  *string `json:"callbackURL"` // "" sends no events
	CallbackKey  *string `json:"callbackKey"`
	// UnitsPerInch sets the unit of pages for documents uploaded from then on.
	UnitsPerInch *float64 `json:"unitsPerInch"`
	// MaxDocuments limits the documents of a package, and MaxDocumentSize the bytes of one.
	MaxDocuments    *int `json:"maxDocuments"`
	MaxDocumentSize *int `json:"maxDocumentSize"`
	// Authentication is key or oauth. Set, even to what it is, it ends all access tokens.
	Authentication *string `json:"authentication"`
}

// Check reports what is wrong with it.
func (in AccountInput) Check(rules *wire.Rules) {
	rules.OneOf("pageBounds", in.PageBounds, "inclusive", "exclusive")
	rules.OneOf("authentication", in.Authentication, byKey, byOAuth)
	if in.MaxPage != nil && *in.MaxPage < 1 {
		rules.Broken("maxPage", "must be at least 1")
	}
	wire.Between(rules, "maxDocuments", in.MaxDocuments, 1, 100)
	wire.Between(rules, "maxDocumentSize", in.MaxDocumentSize, 1, 256<<20)
	if in.UnitsPerInch != nil && *in.UnitsPerInch <= 0 {
		rules.Broken("unitsPerInch", "must be more than 0")
	}
	if in.CallbackURL != nil {
		rules.Address("callbackURL", *in.CallbackURL)
	}
}

// SetAccount changes the account.
func (s *Server) SetAccount(in AccountInput) {
	if in.CustomFields != nil {
		s.fields.enable(*in.CustomFields)
		s.userFields.enable(*in.CustomFields)
	}
	s.callbacks.change("", func(r *registration) {
		wire.Set(&r.URL, in.CallbackURL)
		wire.Set(&r.Key, in.CallbackKey)
	})
	if in.Authentication != nil {
		s.callers.change(*in.Authentication)
	}
	s.store.setAccount(in)
}

// setAccount changes the properties of listings and pages.
func (s *store) setAccount(in AccountInput) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.PageBounds != nil {
		s.account.exclusive = *in.PageBounds == "exclusive"
	}
	wire.Set(&s.account.maxPage, in.MaxPage)
	wire.Set(&s.account.maxDocuments, in.MaxDocuments)
	wire.Set(&s.account.maxDocumentSize, in.MaxDocumentSize)
	wire.Set(&s.account.unitsPerInch, in.UnitsPerInch)
}

// Held returns every package, for people.
func (s *Server) Held() (all []wire.Held) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for _, p := range s.store.ordered {
		all = append(all, wire.Held{State: p.Status, ID: p.ID, Name: p.Name, Since: p.Created.at})
	}
	return all
}

// packagesInput is the request for many packages.
type packagesInput struct {
	Count       int    `json:"count"`
	Status      string `json:"status"`      // DRAFT
	Signer      string `json:"signer"`      // e-mail address; "": no signer
	Owner       string `json:"owner"`       // userID@domain, as data.countersign.owner
	UpdatedFrom *date  `json:"updatedFrom"` // of the first one; absent: now
	UpdatedTo   *date  `json:"updatedTo"`   // of the last one; absent: as updatedFrom
}

// maxPackages limits the packages of one call.
const maxPackages = 200_000

func (in packagesInput) validate() error {
	var rules wire.Rules
	wire.Between(&rules, "count", &in.Count, 1, maxPackages)
	checkStatus(&rules, "status", in.Status)
	if in.UpdatedTo != nil && (in.UpdatedFrom == nil || in.UpdatedTo.at.Before(in.UpdatedFrom.at)) {
		rules.Broken("updatedTo", "must be no earlier than updatedFrom")
	}
	return rules.Err()
}

// makePackages makes packages without documents, whose last updates are evenly spread.
func (s *Server) makePackages(_ *http.Request, in packagesInput) (any, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	first, step := s.now(), time.Duration(0)
	if in.UpdatedFrom != nil {
		first = in.UpdatedFrom.at
	}
	if in.UpdatedTo != nil && in.Count > 1 {
		step = in.UpdatedTo.at.Sub(first) / time.Duration(in.Count-1)
	}
	alike := SeedPackage{Name: "Package", Status: in.Status, Owner: in.Owner}
	if in.Signer != "" {
		name, _, _ := strings.Cut(in.Signer, "@")
		alike.Signers = []SeedSigner{{Email: in.Signer, FirstName: name, LastName: "Signer"}}
	}
	model, err := alike.made(first)
	if err != nil {
		return nil, err
	}
	made := make([]*pkg, in.Count)
	for i := range made {
		one := *model // shares everything that is never changed
		at := dateOf(first.Add(time.Duration(i) * step))
		one.ID, one.Name, one.Created, one.Updated = packageID(), "Package "+strconv.Itoa(i+1), at, at
		if one.Completed != nil {
			one.Completed = &at
		}
		made[i] = &one
	}
	s.store.add(made...)
	return struct {
		IDs [2]string `json:"ids"`
	}{[2]string{made[0].ID, made[len(made)-1].ID}}, nil
}
