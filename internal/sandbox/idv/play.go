package idv

import (
	"slices"
	"time"
)

// played is what the person has done on the page.
type played struct {
	kind     string // of the document, one of documentKinds
	document string // good or bad; "" is not shown yet
	face     string // likewise
	agreed   bool
}

// What a document or a face is.
const (
	good = "good"
	bad  = "bad"
)

// documentKind is a kind of identity document.
type documentKind struct {
	ID, Name string
	Back     bool // it has something on its back
}

var documentKinds = []documentKind{{"passport", "Passport", false}, {"identity_card", "Identity card", true}, {"driving_licence", "Driving licence", true}}

func (p played) documentKind() documentKind {
	i := slices.IndexFunc(documentKinds, func(one documentKind) bool { return one.ID == p.kind })
	return documentKinds[max(i, 0)]
}

// result is what comes of it.
func (p played) result() string {
	if p.document == good && p.face == good {
		return passed
	}
	return failed
}

// The steps of the page, in their order; each is the action of its button.
const (
	chooseDocument = "choose-document"
	takeSelfie     = "take-selfie"
	agree          = "agree"
	finish         = "finish"
)

// step is what the person has to do next.
func (p played) step() string {
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

// move is what somebody does on the page.
type move struct {
	action, kind, quality string
	by                    event // whose session it is
}

// play does the next step; another one is done already, or it is not its turn, and
// nothing happens.
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
		t.did(m.by, "document_selected", now)
		t.did(m.by, "verification_doc_id", now)
	case takeSelfie:
		t.played.face = m.quality
		t.did(m.by, "verification_document_with_face", now)
	case agree:
		t.played.agreed = true
		for _, d := range t.input.Documents {
			m.by.DocumentReferences = append(slices.Clip(m.by.DocumentReferences), d.ID)
		}
		if len(m.by.DocumentReferences) > 0 {
			t.did(m.by, "document_accepted", now)
		}
		m.by.Type = consentAccepted
		t.did(m.by, consentAccepted, now)
	case finish:
		t.did(m.by, "session_ended", now)
		t.finish(now)
	}
}

// did notes what a person did in a session.
func (t *transaction) did(by event, trigger string, now time.Time) {
	by.Trigger, t.stage = trigger, trigger
	if by.Type == "" {
		by.Type = "notification"
	}
	t.note(by, now)
}

// settle makes the result known, and what was done such as it comes from.
func (t *transaction) settle(result string) {
	if t.played.result() != result || t.played.face == "" {
		t.played = played{kind: or(&t.played.kind, documentKinds[0].ID), document: good, face: good, agreed: true}
		if result == failed {
			t.played.document = bad
		}
	}
	t.result = result
}
