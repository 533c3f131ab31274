package idv

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// createLimit limits the body of a new transaction: 50 MB of documents, in base64, and
// the rest.
const createLimit = 80 << 20

// input is the payload of a new transaction, and what its answer has of it (docs/platform.md
// V3). Unknown members are kept.
type input struct {
	TenantID      string           `json:"tenant_id"`
	WorkflowID    string           `json:"workflow_id"`
	URLSetKey     string           `json:"urlSetKey"`
	BrandID       string           `json:"brand_id"`
	Language      string           `json:"language"`
	OpaqueID      *string          `json:"opaque_id,omitempty"`
	Configuration jsontext.Value   `json:"configuration,omitempty"`
	Users         []jsontext.Value `json:"users"`
	Tokens        []tokenInput     `json:"tokens"`
	Documents     []document       `json:"documents"`

	DisableNotifications bool `json:"disable_notifications"`
	DisableRecording     bool `json:"disable_recording"`
	ExpiryPeriod         int  `json:"expiry_period"` // in days
	readOnly
	Other map[string]any `json:",embed"`

	redirects []redirect
	people    []user
}

// readOnly are members that only the platform sets. It reads and ignores them in a payload.
type readOnly struct {
	ID               *string          `json:"id"`
	Status           *string          `json:"status"`
	Created          *string          `json:"created"`
	CreatedBy        *string          `json:"created_by,omitempty"`
	Completed        *string          `json:"completed"`
	Events           []jsontext.Value `json:"events"`
	Verifications    []jsontext.Value `json:"verifications"`
	RequestIDs       []string         `json:"request_ids"`
	LastSessionEvent *string          `json:"last_session_event"`
	LastAPIRequest   *string          `json:"last_api_request"`
	ExpiryTimestamp  *string          `json:"expiry_timestamp"`
	Version          *int             `json:"version"`
}

// newInput returns a payload with the members that a client may leave out.
func newInput() input {
	return input{TenantID: Tenant, URLSetKey: "default", Language: "english", ExpiryPeriod: expiryDays}
}

// tokenInput names a role.
type tokenInput struct {
	Role string `json:"role"`
}

// user is a person's data as the platform reads it.
type user struct {
	FirstName   string   `json:"first_name"`
	MiddleName  string   `json:"middle_name"`
	LastName    string   `json:"last_name"`
	DOB         *string  `json:"dob"`
	Company     *string  `json:"company"`
	PhoneNumber *string  `json:"phone_number"`
	Emails      []string `json:"emails"`
	Gender      string   `json:"gender"`
	Address     *struct {
		CountryCode *string `json:"country_code"`
	} `json:"address"`
}

// document is an agreement for the person.
type document struct {
	ID         string         `json:"id"`
	Content    []byte         `json:"content,omitempty"`
	TemplateID *string        `json:"document_template_id,omitempty"`
	Other      map[string]any `json:",embed"`
}

// redirect is an address to which the page leads a person.
type redirect struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// create starts a transaction.
func (s *Server) create(r *http.Request) (any, error) {
	in := newInput()
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	if err := in.complete(s.now()); err != nil {
		return nil, err
	}
	t := newTransaction(&in, "", s.now())
	s.store.create(t)
	return t.view(site(r), false), nil
}

// complete reads the members that are kept as they were sent, and checks everything.
func (in *input) complete(now time.Time) error {
	in.readOnly = readOnly{}
	var configuration struct {
		Redirects []redirect `json:"redirects"`
	}
	if wire.Given(in.Configuration) {
		if err := json.Unmarshal(in.Configuration, &configuration); err != nil {
			return wire.Invalid(wire.Violation{Field: "configuration", Message: "has the wrong type"}).Because(err)
		}
	}
	in.redirects = configuration.Redirects
	for i, text := range in.Users {
		var one user
		if err := json.Unmarshal(text, &one); err != nil {
			return wire.Invalid(wire.Violation{Field: at("users", i, ""), Message: "has the wrong type"}).Because(err)
		}
		in.people = append(in.people, one)
	}
	var rules wire.Rules
	in.check(&rules, now)
	return rules.Err()
}

// decode decodes a JSON body into what v has for missing members, and ignores unknown ones.
func decode(r *http.Request, v any) error {
	text, err := wire.ReadJSON(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v, nullIsMissing); err != nil {
		return wire.Invalid(wire.Violation{Message: "could not be read"}).Because(err)
	}
	return nil
}

// nullIsMissing leaves a text or a number as it is if its member is null.
var nullIsMissing = json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(skipNull[string]), json.UnmarshalFromFunc(skipNull[int])))

func skipNull[T any](dec *jsontext.Decoder, _ *T) error {
	if dec.PeekKind() == 'n' {
		return dec.SkipValue()
	}
	return errors.ErrUnsupported // go on with the type's own decoding
}

// or returns the text, or instead if it is absent.
func or(text *string, instead string) string {
	if text == nil {
		return instead
	}
	return cmp.Or(*text, instead)
}
