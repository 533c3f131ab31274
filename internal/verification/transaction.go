// Package verification has the types of identity checks, and the rules of their payloads and
// states. Package platform below makes the calls, package service decides who can do what.
package verification

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// Transaction is a transaction at the platform (docs/platform.md V2, V3).
type Transaction struct {
	ID       string `json:"id"`
	Status   Status `json:"status"`
	Created  string `json:"created"`
	Language string `json:"language"`
	OpaqueID string `json:"opaque_id"`
	// Stage is the last step that the person took; "" before the first.
	Stage  string  `json:"last_session_event"`
	Tokens []Token `json:"tokens"`
	// Documents are the documents without their contents.
	Documents     []Document     `json:"documents"`
	Verifications []Verification `json:"verifications"`
	// Value is the whole answer.
	Value jsontext.Value `json:"-"`
}

// Token opens the platform's page for one role.
type Token struct {
	Token     string `json:"token"`
	Role      string `json:"role"`
	AccessURL string `json:"accessUrl,omitzero"`
}

// Document is a document of a transaction.
type Document struct {
	ID string `json:"id"`
}

// Verification is one check within a transaction.
type Verification struct {
	ID     string `json:"vhub_verification_id"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Succeeded reports whether the check with that id succeeded.
func (t Transaction) Succeeded(verification string) bool {
	for _, v := range t.Verifications {
		if strings.EqualFold(v.ID, verification) {
			return v.Status == "SUCCESS"
		}
	}
	return false
}

// HasRole reports whether there is a token for a role. It is true if the platform named
// no tokens.
func (t Transaction) HasRole(role string) bool {
	return len(t.Tokens) == 0 || slices.ContainsFunc(t.Tokens, func(token Token) bool { return token.Role == role })
}

// Read parses a transaction of the platform; the error is platform.failed.
func Read(body jsontext.Value) (Transaction, error) {
	t := Transaction{Value: body}
	if err := Unmarshal(body, &t); err != nil {
		return Transaction{}, err
	}
	if t.ID = strings.ToLower(t.ID); t.ID == "" {
		return Transaction{}, Unreadable(fmt.Errorf("no transaction"))
	}
	return t, nil
}

// Results of a verification, as the detailed report names them.
const (
	Undefined = "Undefined"
	Passed    = "Passed"
	Failed    = "Failed"
)

// Report is a detailed report.
type Report struct {
	Result string `json:"result"`
	// Value is the whole answer.
	Value jsontext.Value `json:"-"`
}

// ReadReport parses a detailed report of the platform; the error is platform.failed.
func ReadReport(body jsontext.Value) (Report, error) {
	r := Report{Value: body}
	if err := Unmarshal(body, &r); err != nil {
		return Report{}, err
	}
	if r.Result != Passed && r.Result != Failed {
		r.Result = Undefined
	}
	return r, nil
}

// ReadToken parses a new token of the platform; the error is platform.failed.
func ReadToken(body jsontext.Value) (t Token, err error) {
	if err = Unmarshal(body, &t); err == nil && t.Token == "" {
		err = Unreadable(fmt.Errorf("no token"))
	}
	return t, err
}

// Complete makes a token's address if the platform gave none. It returns platform.failed
// if the address is not on Sites.
func (a Addresses) Complete(t *Token, id string) error {
	if t.AccessURL == "" && a.AccessURL != "" {
		t.AccessURL = strings.NewReplacer("{transaction}", url.QueryEscape(id), "{token}", url.QueryEscape(t.Token)).Replace(a.AccessURL)
	}
	if t.AccessURL == "" {
		return nil
	}
	u, err := url.Parse(t.AccessURL)
	if err == nil && !a.Sites.Have(u) {
		err = fmt.Errorf("the page of a token is on %q", u.Host)
	}
	if err != nil {
		return Unreadable(err)
	}
	return nil
}

// AddressWith returns the address of t's page with another token in its place; "" where t's
// address does not have its token exactly once.
func (t Token) AddressWith(token string) string {
	if t.Token == "" {
		return ""
	}
	for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape, func(s string) string { return s }} {
		if strings.Count(t.AccessURL, escape(t.Token)) == 1 {
			return strings.Replace(t.AccessURL, escape(t.Token), escape(token), 1)
		}
	}
	return ""
}

// Unmarshal parses JSON of the platform, which may contain a member twice. The error is
// platform.failed.
func Unmarshal(body jsontext.Value, into any) error {
	err := payload.Unmarshal(body, into)
	if err != nil {
		return Unreadable(err)
	}
	return nil
}

// Status is a transaction's state (docs/platform.md V4).
type Status string

// The states in which a transaction is over; every other state is active.
const (
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
	Errored   Status = "error"
)

// Active reports whether the transaction is not over.
func (s Status) Active() bool {
	switch s {
	case Completed, Cancelled, Expired, Errored:
		return false
	}
	return true
}

// Known reports whether s is one of the documented states.
func (s Status) Known() bool {
	switch s {
	case "new", "workflow_in_progress", "workflow_completed", "autosigned", "post_processing", "vaulted":
		return true
	}
	return !s.Active()
}

// Unreadable returns platform.failed for an answer of the platform that cannot be read.
func Unreadable(err error) error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("verification: read the answer: %w", err))
}
