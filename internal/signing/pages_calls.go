package signing

import (
	"bytes"
	"context"
	"errors"
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
	Roles []PlaceholderRole
	Owner Ownership
	Rules Context
}

// Clone creates a draft from the package with that id, and returns the draft's id.
func (c *Client) Clone(ctx context.Context, id string, as Copy) (string, error) {
	if runes := []rune(as.Name); len(runes) > maxName {
		as.Name = string(runes[:maxName])
	}
	members := struct {
		Name    string            `json:"name"`
		Type    string            `json:"type,omitzero"`
		Message *string           `json:"emailMessage,omitzero"`
		Roles   []PlaceholderRole `json:"roles,omitzero"`
	}{as.Name, as.Type, as.Message, as.Roles}
	body, err := checked(members, func(p *Payload) error {
		if err := CheckClone(p, as.Rules); err != nil {
			return err
		}
		return p.SetOwnership(as.Owner)
	})
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	err = c.call(ctx, clonePackage, exchange{values: ofPackage(id), body: body, out: &made})
	if err == nil && made.ID == "" {
		err = fault.Wrap(fault.PlatformFailed, errors.New("clonePackage: the response names no package"))
	}
	return made.ID, err
}

// Decline ends a package that is with its signers, with a reason given by from, the id of
// a signer or of the sender.
func (c *Client) Decline(ctx context.Context, id, from, reason string) error {
	type sender struct {
		ID string `json:"id"`
	}
	type message struct {
		From    sender `json:"from"`
		Content string `json:"content"`
	}
	body, err := checked(map[string]any{"status": StatusDeclined, "messages": []message{{sender{from}, reason}}}, func(p *Payload) error {
		return CheckPackageUpdate(p, Context{})
	})
	if err != nil {
		return err
	}
	return c.call(ctx, updatePackage, exchange{values: ofPackage(id), body: body})
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

// Remind sends a role its invitation again, by SMS or by e-mail.
func (c *Client) Remind(ctx context.Context, id, role string, bySMS bool) error {
	operation := notifyRole
	if bySMS {
		operation = smsRole
	}
	return c.call(ctx, operation, exchange{values: map[string]string{"package": id, "role": role}})
}

// AuditEvent is something that happened to a package (docs/platform.md S2).
type AuditEvent struct {
	Type   string `json:"type"`
	At     moment `json:"date-time"`
	Target string `json:"target"`
	User   string `json:"user"`
	Email  string `json:"user-email"`
	IP     string `json:"user-ip"`
	Data   string `json:"data"`
}

// Audit returns the package's audit trail, the earliest event first.
func (c *Client) Audit(ctx context.Context, id string) ([]AuditEvent, error) {
	var trail struct {
		Events []AuditEvent `json:"audit-events"`
	}
	err := c.call(ctx, getAudit, exchange{values: ofPackage(id), out: &trail})
	return trail.Events, err
}

// EventPackage returns the id of the package that a callback's event names
// (docs/platform.md S13); "" if it names none.
func EventPackage(event []byte) string {
	var named struct {
		PackageID string `json:"packageId"`
	}
	if json.Unmarshal(event, &named, lenient, jsontext.AllowInvalidUTF8(true)) != nil || !ValidID(named.PackageID) {
		return ""
	}
	return named.PackageID
}
