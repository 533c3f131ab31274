package idv

import (
	"slices"
	"time"
)

// visitChoices holds the person's actions on the page.
type visitChoices struct {
	kind     string // of the document, one of documentKinds
	document string // good or bad; "" if not shown yet
	face     string // as document
	agreed   bool
}

// The qualities of a document or a face.
const (
	good = "good"
	bad  = "bad"
)

// documentKind is a kind of identity document.
type documentKind struct {
	ID, Name string
	Back     bool // it has a back side
}

var documentKinds = []documentKind{{"passport", "Passport", false}, {"identity_card", "Identity card", true}, {"driving_licence", "Driving licence", true}}

func (p visitChoices) documentKind() documentKind {
	i := slices.IndexFunc(documentKinds, func(one documentKind) bool { return one.ID == p.kind })
	return documentKinds[max(i, 0)]
}

// result returns the resulting decision.
func (p visitChoices) result() string {
	if p.document == good && p.face == good {
		return passed
	}
	return failed
}

// The steps of the page, in order; each is its button's action.
const (
	chooseDocument = "choose-document"
	takeSelfie     = "take-selfie"
	agree          = "agree"
	finish         = "finish"
)

// step returns the person's next step.
func (p visitChoices) step() string {
	switch {
	case p.document == "":
		return chooseDocument
	case p.face == "":
		return takeSelfie
	case !p.agreed:
		return agree
	default:
		return finish
	}
}

// move is an action on the page.
type move struct {
	action, kind, quality string
	by                    event // with the session's data
}

// play carries out the next step; any other step is ignored.
func (t *transaction) play(m move, now time.Time) {
	if !t.active() || m.action != t.played.step() {
		return
	}
	if t.status == statusNew {
		t.status = statusInProgress
	}
	switch m.action {
	case chooseDocument:
		t.played.kind, t.played.document = m.kind, m.quality
		t.recordAction(m.by, "document_selected", now)
		t.recordAction(m.by, "verification_doc_id", now)
	case takeSelfie:
		t.played.face = m.quality
		t.recordAction(m.by, "verification_document_with_face", now)
	case agree:
		t.played.agreed = true
		for _, d := range t.input.Documents {
			m.by.DocumentReferences = append(slices.Clip(m.by.DocumentReferences), d.ID)
		}
		if len(m.by.DocumentReferences) > 0 {
			t.recordAction(m.by, "document_accepted", now)
		}
		m.by.Type = consentAccepted
		t.recordAction(m.by, consentAccepted, now)
	case finish:
		t.recordAction(m.by, "session_ended", now)
		t.finish(now)
	}
}

// recordAction records a person's action in a session.
func (t *transaction) recordAction(by event, trigger string, now time.Time) {
	by.Trigger, t.stage = trigger, trigger
	if by.Type == "" {
		by.Type = "notification"
	}
	t.note(by, now)
}

// setResult sets the result, and the actions that lead to it.
func (t *transaction) setResult(result string) {
	if t.played.result() != result || t.played.face == "" {
		t.played = visitChoices{kind: or(&t.played.kind, documentKinds[0].ID), document: good, face: good, agreed: true}
		if result == failed {
			t.played.document = bad
		}
	}
	t.result = result
}
