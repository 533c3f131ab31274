package signing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// evidence returns the lines of the summary.
func (s *Server) evidence(ctx context.Context, p *pkg) []string {
	lines := []string{
		"Evidence Summary", "",
		"Package: " + p.Name, "Id: " + p.ID, "Status: " + p.Status,
		"Sender: " + p.Sender.Name + " <" + p.Sender.Email + ">",
		"Created: " + p.Created.text(),
	}
	if p.Completed != nil {
		lines = append(lines, "Completed: "+p.Completed.text())
	}
	lines = append(lines, "", "Documents")
	for _, d := range p.Documents {
		lines = append(lines, d.Name+" ("+d.ID+")", "SHA-256 as uploaded: "+hash(p.files[d.ID].original), "SHA-256 as signed: "+hash(s.shownFile(ctx, p, d)))
	}
	lines = append(lines, "", "Signers")
	for _, r := range p.Roles {
		for _, one := range r.Signers {
			lines = append(lines, one.Name+" <"+one.Email+"> ("+r.Type+")")
		}
	}
	lines = append(lines, "", "Events (UTC)")
	for _, event := range p.events {
		e := p.line(event)
		by := strings.TrimSpace(e.User + " <" + e.UserEmail + "> " + e.UserIP)
		lines = append(lines, e.DateTime.text()+"  "+e.Type+"  "+e.Target+"  by "+by)
		if e.Data != "" {
			lines = append(lines, "    "+e.Data)
		}
	}
	return lines
}

func (d date) text() string { return d.at.Format(time.RFC3339) }

// hash returns SHA-256 in hexadecimal, or a dash for an external document.
func hash(content []byte) string {
	if content == nil {
		return "-"
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
