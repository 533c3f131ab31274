package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

func (s *Server) user(r *http.Request) (any, error) {
	a, err := s.person(r)
	if err != nil {
		return nil, err
	}
	return s.userOutput(a).tagged(), nil
}

func (s *Server) userOutput(a account) userOutput {
	name, domain, _ := strings.Cut(a.ID, "@")
	devices, modified := a.activation.serials(), s.started
	if !a.modified.IsZero() {
		modified = a.modified
	}
	return userOutput{
		UserID: name, Domain: domain, DisplayName: a.DisplayName, EmailAddress: a.Email, MobilePhoneNumber: a.Phone,
		Enabled: !a.Disabled, Locked: a.Locked, Expired: a.Expired, IsPasswordSet: a.PassKey != "",
		Created: s.started, LastModified: modified, LastPasswordUpdate: s.started,
		Authenticators: devices, HasAuthenticatorAssigned: len(devices) > 0,
		MDCProfile: "SANDBOX", VDPDeliveryMethod: "SMS",
	}
}

// tagged returns the answer with its ETag.
func (o userOutput) tagged() http.Handler { return wire.Answer{ETag: o.tag(), Value: o} }

// tag returns the state of the account as an ETag, which conditional changes name.
func (o userOutput) tag() string {
	text, _ := json.Marshal(o) // its members can be written
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// userOutput is the platform's UserOutput (docs/platform.md I10), without the members that
// depend on what the sandbox does not have. A member that is not known is absent.
type userOutput struct {
	UserID             string    `json:"userID"`
	Domain             string    `json:"domain"`
	DisplayName        string    `json:"displayName,omitzero"`
	EmailAddress       string    `json:"emailAddress,omitzero"`
	MobilePhoneNumber  string    `json:"mobilePhoneNumber,omitzero"`
	Enabled            bool      `json:"enabled"`
	Locked             bool      `json:"locked"`
	Expired            bool      `json:"expired"`
	IsPasswordSet      bool      `json:"isPasswordSet"`
	Created            time.Time `json:"created"`
	LastModified       time.Time `json:"lastModified"`
	LastPasswordUpdate time.Time `json:"lastPasswordUpdate"`
	// Authenticators are the serial numbers of activated devices.
	Authenticators           []string `json:"authenticators"`
	HasAuthenticatorAssigned bool     `json:"hasAuthenticatorAssigned"`
	MDCProfile               string   `json:"mdcProfile"`
	VDPDeliveryMethod        string   `json:"vdpDeliveryMethod"`
}

// known returns value as JSON writes it: null if the platform does not know it.
func known[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}
