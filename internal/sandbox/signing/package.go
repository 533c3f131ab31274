package signing

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// The values of a package's status (docs/platform.md S4).
const (
	draft     = "DRAFT"
	sent      = "SENT"
	completed = "COMPLETED"
	archived  = "ARCHIVED"
	declined  = "DECLINED"
	optedOut  = "OPTED_OUT"
	expired   = "EXPIRED"
)

// statuses are all of them.
var statuses = []string{draft, sent, completed, archived, declined, optedOut, expired}

// checkStatus requires one of them, or "".
func checkStatus(rules *wire.Rules, field, status string) {
	status = cmp.Or(status, draft)
	rules.OneOf(field, &status, statuses...)
}

// The values of a package's type.
const (
	typePackage  = "PACKAGE"
	typeTemplate = "TEMPLATE"
	typeLayout   = "LAYOUT"
)

// pkg is a package in the platform's answer. A stored one is never changed: changes are
// made to a clone.
type pkg struct {
	ID                     string         `json:"id"`
	Name                   string         `json:"name"`
	Status                 string         `json:"status"`
	Type                   string         `json:"type"`
	Visibility             string         `json:"visibility"`
	Autocomplete           *bool          `json:"autocomplete"`
	Trashed                bool           `json:"trashed"`
	Notarized              bool           `json:"notarized"`
	BulkSendable           bool           `json:"bulkSendable"`
	Description            string         `json:"description"`
	EmailMessage           string         `json:"emailMessage"`
	Created                date           `json:"created"`
	Updated                date           `json:"updated"`
	Completed              *date          `json:"completed"`
	Due                    *date          `json:"due"`
	Language               *string        `json:"language"`
	TimezoneID             *string        `json:"timezoneId"`
	Consent                *string        `json:"consent"`
	NotaryRoleID           *string        `json:"notaryRoleId"`
	Roles                  []role         `json:"roles"`
	Documents              []document     `json:"documents"`
	Messages               []message      `json:"messages"`
	Conditions             []condition    `json:"conditions,omitzero"` // empty where they were taken away
	Data                   jsontext.Value `json:"data"`
	Settings               jsontext.Value `json:"settings"`
	Sender                 sender         `json:"sender"`
	Limits                 jsontext.Value `json:"limits"`
	SignedDocumentDelivery jsontext.Value `json:"signedDocumentDelivery"`

	number int                        // index among all packages, in the order of their creation
	files  map[string]documentContent // by document id

	visibility visibility
	reminders  *reminders           // may be nil
	events     []event              // its events so far
	site       string               // the platform's address for its people
	attached   map[string][]byte    // the signers' attached files
	checks     map[string]fileCheck // what was found in them, by the same keys
}

// message is a message about a package, such as the reason for declining.
type message struct {
	Status    string         `json:"status"` // NEW, READ or TRASHED
	From      jsontext.Value `json:"from,omitempty"`
	To        jsontext.Value `json:"to,omitzero"`
	Created   date           `json:"created"`
	Content   string         `json:"content"`
	Documents jsontext.Value `json:"documents,omitzero"`
}

// complete fills in members that requests leave out, but for the author.
func (m *message) complete(now time.Time) {
	var from signer
	if wire.Given(m.From) && json.Unmarshal(m.From, &from) == nil {
		name := from.Name
		from.complete(now)
		from.Name = cmp.Or(from.Name, name)
		if text, err := json.Marshal(from); err == nil {
			m.From = text
		}
	}
	if !wire.Given(m.To) {
		m.To = jsontext.Value("[]")
	}
	if !wire.Given(m.Documents) {
		m.Documents = jsontext.Value("[]")
	}
}

// newPackage returns a package of the account's, with every default.
func newPackage(now time.Time) *pkg {
	text := func(s string) *string { return &s }
	return &pkg{
		Sender: sender{signer: accountSender(now), Type: "REGULAR", Status: "ACTIVE", Memberships: []jsontext.Value{}},
		ID:     packageID(), Status: draft, Type: typePackage, Visibility: "ACCOUNT",
		Created: dateOf(now), Updated: dateOf(now), Language: text("en"), TimezoneID: text("GMT"),
		files: map[string]documentContent{},
	}
}

// packageID returns an id of 28 characters, the last of them "=".
func packageID() string {
	id := make([]byte, 20)
	_, _ = rand.Read(id) // never fails
	return base64.URLEncoding.EncodeToString(id)
}

// clone returns a copy that shares no changeable data.
func (p *pkg) clone() *pkg {
	text, err := json.Marshal(p)
	var copied pkg
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	if err != nil {
		panic("signing: a stored package cannot be written and read: " + err.Error())
	}
	copied.number, copied.files = p.number, maps.Clone(p.files)
	copied.visibility, copied.reminders, copied.events, copied.site = p.visibility, p.reminders, p.events, p.site
	copied.attached, copied.checks = maps.Clone(p.attached), maps.Clone(p.checks)
	return &copied
}

// complete fills in members that requests leave out, and checks the others.
func (p *pkg) complete(now time.Time) error {
	automatic := true
	p.Autocomplete = cmp.Or(p.Autocomplete, &automatic)
	p.Status, p.Type = cmp.Or(p.Status, draft), strings.ToUpper(cmp.Or(p.Type, typePackage))
	p.Visibility = cmp.Or(p.Visibility, "ACCOUNT")
	if p.Messages == nil {
		p.Messages = []message{}
	}
	for i := range p.Messages {
		p.Messages[i].complete(now)
	}
	p.Data, p.Settings = withOrigin(p.Data), withCeremony(p.Settings)
	var rules wire.Rules
	rules.Required("name", &p.Name)
	rules.OneOf("type", &p.Type, typePackage, typeTemplate, typeLayout)
	checkStatus(&rules, "status", p.Status)
	rules.OneOf("visibility", &p.Visibility, "ACCOUNT", "SENDER")
	p.Conditions = withIDs(p.Conditions)
	p.addOwner(now)
	p.completeRoles(&rules, now)
	p.completeDocuments(&rules)
	for _, d := range p.Documents {
		if slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.Role == "" }) {
			return refuse(unassigned)
		}
	}
	return rules.Err()
}

// date is a time in JSON, to the second and in UTC: the SDKs understand only the offset
// Z, and drop fractions (docs/platform.md S14).
type date struct{ at time.Time }

func dateOf(t time.Time) date { return date{t.UTC().Truncate(time.Second)} }

// MarshalText writes 2030-01-01T12:00:00Z.
func (d date) MarshalText() ([]byte, error) { return []byte(d.at.Format(time.RFC3339)), nil }

// UnmarshalText reads any time of RFC 3339.
func (d *date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	*d = dateOf(t)
	return err
}
