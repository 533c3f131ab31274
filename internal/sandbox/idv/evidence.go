package idv

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// file is a padded PDF to answer with.
type file struct{ pdf.PaddedFile }

// ServeHTTP answers with the file.
func (f file) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Length", strconv.FormatInt(f.Size(), 10))
	w.Header().Set("Cache-Control", "no-store")
	_, _ = f.WriteTo(w) // fails only if the client went away
}

// getEvidence answers with the evidence pack of a completed transaction: the audit trail,
// the recording of the sessions and the evidence of the validation, as one PDF.
func (s *Server) getEvidence(_ *http.Request, t *transaction) (any, error) {
	if err := t.wantCompleted(); err != nil {
		return nil, err
	}
	lines := slices.Concat(t.heading("Evidence"), trailLines(t.events), t.recording(), t.validation())
	return file{pdf.Pad(pdf.Text(lines...), s.evidenceSize())}, nil
}

func (s *Server) evidenceSize() int64 {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return s.store.evidenceSize
}

// heading returns the heading of a document.
func (t *transaction) heading(title string) []string {
	who := t.person()
	lines := []string{
		title, "", "Transaction: " + t.id, "Person: " + who.FirstName + " " + who.LastName,
		"Workflow: " + t.input.WorkflowID, "Created: " + stamp{t.created}.text(),
	}
	if !t.completed.IsZero() {
		lines = append(lines, "Completed: "+stamp{t.completed}.text(), "Result: "+t.result)
	}
	return lines
}

// trailLines returns the events with their times.
func trailLines(events []event) []string {
	lines := []string{"", "Audit trail (UTC)"}
	for _, e := range events {
		lines = append(lines, e.Timestamp.text()+"  "+strings.TrimSpace(e.Trigger+"  "+e.Role))
	}
	return lines
}

// recording returns people's actions in their sessions, with their devices.
func (t *transaction) recording() []string {
	lines := []string{"", "Session recording (UTC)"}
	for _, e := range t.events {
		if e.SessionID == "" {
			continue
		}
		lines = append(lines, e.Timestamp.text()+"  session "+e.SessionID+"  "+e.Trigger, "    from "+e.ClientDevice.IPAddress+"  "+e.ClientDevice.Name)
	}
	if len(lines) == 2 {
		lines = append(lines, "No session was opened")
	}
	return lines
}

// validation returns the results of the checks, and the kind of the document.
func (t *transaction) validation() []string {
	lines := []string{"", "Identity validation data", "Document: " + t.played.documentKind().Name}
	for _, one := range t.checks {
		found := t.findings(one)
		line := one.kind + ": " + found.Result + ", score " + strconv.Itoa(found.Score)
		if found.Reason != "" {
			line += ", " + found.Reason
		}
		lines = append(lines, line, "    "+provider+" "+one.id)
	}
	for _, d := range t.input.Documents {
		lines = append(lines, "Agreement: "+d.ID, "    SHA-256 "+hash(t.agreement(d)))
	}
	return lines
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// getDocument answers with an agreement as it was sent, or as made from its template.
func (s *Server) getDocument(r *http.Request, t *transaction) (any, error) {
	return t.documentFile(r.PathValue("document"))
}

func (t *transaction) documentFile(id string) (any, error) {
	i := slices.IndexFunc(t.input.Documents, func(d document) bool { return d.ID == id })
	if i < 0 {
		return nil, unknown("document")
	}
	return wire.Raw{Media: "application/pdf", Body: t.agreement(t.input.Documents[i])}, nil
}

// agreement returns the content of a document.
func (t *transaction) agreement(d document) []byte {
	if d.TemplateID == nil || len(d.Content) > 0 {
		return d.Content
	}
	who := t.person()
	return pdf.Text("Agreement "+d.ID, "", "Template: "+*d.TemplateID, "Made for "+who.FirstName+" "+who.LastName)
}
