package signing

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// customField is a value of the whole account (specification, part 2.9).
type customField struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"` // empty
	Value        *string        `json:"value"`
	Required     bool           `json:"required"`
	Translations []translation  `json:"translations"`
	Data         jsontext.Value `json:"data"`
	DirtyFields  []string       `json:"dirtyFields"`
}

type translation struct {
	ID          string         `json:"id"`
	Language    string         `json:"language"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Data        jsontext.Value `json:"data"`
	DirtyFields []string       `json:"dirtyFields"`
}

// customFields are the account's custom fields, or its user's values of them. It is safe
// for concurrent use.
type customFields struct {
	check func(f customField, rules *wire.Rules, prefix string)

	mu     sync.Mutex
	off    bool // not enabled for the account
	fields map[string]customField
}

func (s *Server) customFieldRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "listCustomFields", Method: get, Path: fieldsPath, Call: s.fields.find},
		{Operation: "createCustomField", Method: post, Path: fieldsPath, Call: withBody(s.fields.put)},
		{Operation: "createCustomField", Method: put, Path: fieldsPath, Call: withBody(s.fields.put)},
		{Operation: "getCustomField", Method: get, Path: fieldsPath + "/{field}", Call: s.fields.get},
		{Operation: "deleteCustomField", Method: del, Path: fieldsPath + "/{field}", Call: s.fields.remove},
		{Operation: "listUserCustomFields", Method: get, Path: userFieldsPath, Call: s.userFields.find},
		{Operation: "createUserCustomField", Method: post, Path: userFieldsPath, Call: withBody(s.userFields.put)},
		{Operation: "createUserCustomField", Method: put, Path: userFieldsPath, Call: withBody(s.userFields.put)},
		{Operation: "getUserCustomField", Method: get, Path: userFieldsPath + "/{field}", Call: s.userFields.get},
		{Operation: "deleteUserCustomField", Method: del, Path: userFieldsPath + "/{field}", Call: s.userFields.remove},
	}
}

func (c *customFields) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off, c.fields = false, map[string]customField{}
}

func (c *customFields) enable(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = !on
}

// act runs do if custom fields are enabled.
func (c *customFields) act(do func(fields map[string]customField)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return wire.Refuse(http.StatusForbidden, "Custom fields are not enabled for this account.").
			With(messageKey, "error.forbidden.customFields.notEnabled")
	}
	do(c.fields)
	return nil
}

// find answers with a bare array, sorted by id, in the query's direction and window; a to
// below from means no limit (docs/platform.md S11).
func (c *customFields) find(r *http.Request) (any, error) {
	query := r.URL.Query()
	var rules wire.Rules
	dir := cmp.Or(query.Get("dir"), "asc")
	rules.OneOf("dir", &dir, "asc", "desc")
	first, last := window(&rules, query, 0)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	all := []customField{}
	err := c.act(func(fields map[string]customField) {
		for _, id := range slices.Sorted(maps.Keys(fields)) {
			all = append(all, fields[id])
		}
	})
	if err != nil {
		return nil, err
	}
	if dir == "desc" {
		slices.Reverse(all)
	}
	if last == 0 {
		last = len(all)
	}
	return all[min(first-1, len(all)):min(last, len(all))], nil
}

// put creates a custom field, or overwrites the one with its id.
func (c *customFields) put(_ *http.Request, in customField) (any, error) {
	var rules wire.Rules
	c.check(in, &rules, "")
	if err := rules.Err(); err != nil {
		return nil, err
	}
	in.complete()
	err := c.act(func(fields map[string]customField) { fields[in.ID] = in })
	return in, err
}

// checkAccountField requires the members that every custom field of an account has; prefix leads
// to them.
func checkAccountField(f customField, rules *wire.Rules, prefix string) {
	if f.Value == nil {
		rules.Broken(prefix+"value", "is required")
	}
	if len(f.Translations) == 0 {
		rules.Broken(prefix+"translations", "is required")
	}
	for i, t := range f.Translations {
		same := func(other translation) bool { return cmp.Or(other.Language, "en") == cmp.Or(t.Language, "en") }
		if slices.ContainsFunc(f.Translations[:i], same) {
			rules.Broken(prefix+"translations."+strconv.Itoa(i)+".language", "is there twice")
		}
	}
}

// checkUserField requires the id of the account's field.
func checkUserField(f customField, rules *wire.Rules, _ string) { rules.Required("id", &f.ID) }

func (f *customField) complete() {
	f.ID, f.Name, f.DirtyFields = cmp.Or(f.ID, uuid.NewString()), "", []string{"id", "value", "required", "translations"}
	f.Translations = list(f.Translations)
	for i := range f.Translations {
		t := &f.Translations[i]
		t.ID, t.Language, t.DirtyFields = cmp.Or(t.ID, uuid.NewString()), cmp.Or(t.Language, "en"), []string{"language", "name", "description"}
	}
}

// get answers 200 without a body for an unknown id: the SDKs ask before they create a
// field (docs/platform.md S11).
func (c *customFields) get(r *http.Request) (any, error) {
	var found any = wire.Empty{}
	err := c.act(func(fields map[string]customField) {
		if field, ok := fields[r.PathValue("field")]; ok {
			found = field
		}
	})
	return found, err
}

func (c *customFields) remove(r *http.Request) (any, error) {
	err := c.act(func(fields map[string]customField) { delete(fields, r.PathValue("field")) })
	return wire.Empty{}, err
}
