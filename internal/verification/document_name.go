package verification

import (
	"strings"
	"time"

	"countersign/internal/payload"
)

// documentStage is the title of the stages in which a document is examined (docs/platform.md
// V7).
const documentStage = "DocumentVerification"

// DocumentName returns the names that the document says, of the last examination that
// passed, or else of the last one: never what was typed. "" is nothing.
func (r Report) DocumentName() (first, last string) {
	var report struct {
		Stages []struct {
			Type struct {
				Title string `json:"title"`
			} `json:"stageType"`
			Result  string `json:"result"`
			Details struct {
				Person struct {
					First string `json:"firstName"`
					Last  string `json:"lastName"`
				} `json:"personalInformation"`
			} `json:"details"`
		} `json:"stages"`
	}
	if payload.Unmarshal(r.Value, &report) != nil {
		return "", "" // a report of another shape names nobody
	}
	passed := false
	for _, stage := range report.Stages {
		if stage.Type.Title != documentStage || passed && stage.Result != Passed {
			continue
		}
		passed = stage.Result == Passed
		first, last = strings.TrimSpace(stage.Details.Person.First), strings.TrimSpace(stage.Details.Person.Last)
	}
	return first, last
}

// CompletedAt returns when t was completed: what the platform says, or else its last event;
// the zero time if neither is known.
func (t Transaction) CompletedAt() time.Time {
	var said struct {
		Completed string `json:"completed"`
	}
	_ = payload.Unmarshal(t.Value, &said)
	if at, err := time.Parse(time.RFC3339, said.Completed); err == nil {
		return at
	}
	var last time.Time
	for _, e := range t.Events() {
		if e.At.After(last) && !strings.HasPrefix(e.Trigger, eraseTrigger) && !strings.HasPrefix(e.Trigger, recoverTrigger) {
			last = e.At
		}
	}
	return last
}

// The beginnings of the events of marking and unmarking a transaction (docs/platform.md V2).
const (
	eraseTrigger   = "Transaction Erase Request - Accepted"
	recoverTrigger = "Transaction Recovery - Accepted"
)

// MarkedForErasure reports whether the platform's events say that t is marked.
func (t Transaction) MarkedForErasure() (marked bool) {
	for _, e := range t.Events() {
		switch {
		case strings.HasPrefix(e.Trigger, eraseTrigger):
			marked = true
		case strings.HasPrefix(e.Trigger, recoverTrigger):
			marked = false
		}
	}
	return marked
}
