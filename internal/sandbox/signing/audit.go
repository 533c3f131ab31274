package signing

import (
	"encoding/xml"
	"strings"
)

// auditTrail holds the events of a package (docs/platform.md S19).
type auditTrail struct {
	XMLName   xml.Name     `json:"-" xml:"audit"`
	PackageID string       `json:"package-id" xml:"package-id"`
	Events    []auditEvent `json:"audit-events" xml:"audit-events>audit-event"`
}

type auditEvent struct {
	Type       string `json:"type" xml:"type"`
	DateTime   date   `json:"date-time" xml:"date-time"`
	TargetType string `json:"target-type" xml:"target-type"`
	Target     string `json:"target" xml:"target"`
	User       string `json:"user" xml:"user"`
	UserEmail  string `json:"user-email" xml:"user-email"`
	UserIP     string `json:"user-ip" xml:"user-ip"`
	Data       string `json:"data" xml:"data"`
}

// auditTypes are the events that the audit trail has, by their names there: what signers do.
var auditTypes = map[string]string{
	documentViewed: "View", documentSigned: "Click To Sign", signerCompleted: "Confirm",
	packageDeclined: "Decline", packageOptedOut: "Opt Out",
}

func (p *pkg) audit() auditTrail {
	trail := auditTrail{PackageID: p.ID, Events: []auditEvent{}}
	for _, e := range p.events {
		if named, ok := auditTypes[e.name]; ok {
			line := p.line(e)
			if line.Type = named; line.TargetType == "Package" {
				line.Target = p.Name
			}
			trail.Events = append(trail.Events, line)
		}
	}
	return trail
}

// line returns an event as a line of the audit trail, or of the evidence.
func (p *pkg) line(e event) auditEvent {
	line := auditEvent{
		Type: titled(e.name), DateTime: e.at, TargetType: "Package", Target: p.Name,
		User: e.user.Name, UserEmail: e.user.Email, UserIP: e.by.ip, Data: e.message,
	}
	if e.roleID != "" {
		line.Target = e.about
	}
	if e.documentID != "" {
		line.TargetType, line.Target = "Document", p.documentName(e.documentID)
	}
	return line
}

// titled turns PACKAGE_CREATE into Package Create.
func titled(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		parts[i] = part[:1] + strings.ToLower(part[1:])
	}
	return strings.Join(parts, " ")
}

// documentName returns the document's name, or its id if it was deleted.
func (p *pkg) documentName(id string) string {
	if d, err := p.document(id); err == nil {
		return d.Name
	}
	return id
}
