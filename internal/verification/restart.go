package verification

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// personMembers are the members of users that say who a person is. A platform's answer may
// have others, which are its own.
var personMembers = []string{"first_name", "last_name", "emails", "phone_number", "dob", "address", "company"}

// Restart returns a payload that starts a new transaction with the people of t, in its
// language, and with its workflow and brand as far as rules still allow them. back is the
// address to which a person returns from the platform's page. The error is
// platform.failed if t cannot be read.
func (t Transaction) Restart(rules Rules, back string) ([]byte, error) {
	var before struct {
		Workflow string                      `json:"workflow_id"`
		Brand    string                      `json:"brand_id"`
		Users    []map[string]jsontext.Value `json:"users"`
	}
	if err := Unmarshal(t.Value, &before); err != nil {
		return nil, err
	}
	for _, user := range before.Users {
		for name, value := range user {
			if !slices.Contains(personMembers, name) || value.Kind() == 'n' {
				delete(user, name)
			}
		}
	}
	payload := map[string]any{
		"users":         before.Users,
		"configuration": map[string]any{"redirects": []any{map[string]string{"id": "REDIRECT_DEFAULT_URL", "url": back}}},
	}
	if t.Language != "" {
		payload["language"] = t.Language
	}
	if slices.Contains(rules.Workflows, before.Workflow) {
		payload["workflow_id"] = before.Workflow
	}
	if slices.Contains(rules.Brands, before.Brand) {
		payload["brand_id"] = before.Brand
	}
	body, err := json.Marshal(payload, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, Unreadable(err)
	}
	return body, nil
}
