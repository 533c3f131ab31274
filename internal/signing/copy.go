package signing

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// Copy says how a copy of a package differs from the original.
type Copy struct {
	// Name is the copy's name, cut to the length that a name may have.
	Name string
	// Type is what it becomes; "" leaves that to the platform.
	Type string
	// Message is the text of its invitations; nil leaves the original's.
	Message *string
	// Roles take the place of the original's with the same ids.
	Roles       []RoleChange
	Countersign CountersignData
	// Data is the original's, which the copy has too but for Countersign's own; nil for none.
	Data  jsontext.Value
	Rules Context
}

// Body returns the payload that makes the copy.
func (as Copy) Body() (jsontext.Value, error) {
	if runes := []rune(as.Name); len(runes) > maxName {
		as.Name = string(runes[:maxName])
	}
	members := struct {
		Name    string       `json:"name"`
		Type    string       `json:"type,omitzero"`
		Message *string      `json:"emailMessage,omitzero"`
		Roles   []RoleChange `json:"roles,omitzero"`
	}{as.Name, as.Type, as.Message, as.Roles}
	return checked(members, func(p *Payload) error {
		if err := CheckClone(p, as.Rules); err != nil {
			return err
		}
		return p.SetCountersign(as.Countersign, as.Data)
	})
}

// Declining returns the change that ends a package with a reason given by from, the id of
// a signer or of the sender.
func Declining(from, reason string) (jsontext.Value, error) {
	type sender struct {
		ID string `json:"id"`
	}
	type message struct {
		From    sender `json:"from"`
		Content string `json:"content"`
	}
	return checked(map[string]any{"status": StatusDeclined, "messages": []message{{sender{from}, reason}}}, func(p *Payload) error {
		return CheckPackageUpdate(p, Context{})
	})
}

// checked encodes v as a payload and applies check to it.
func checked(v any, check func(*Payload) error) (jsontext.Value, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fault.Wrap(fault.RequestMalformed, err) // a text that is not UTF-8
	}
	payload, err := NewPayload(body)
	if err == nil {
		err = check(payload)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(payload.Edited(bytes.NewReader(body)))
}
