package idv

import (
	"net/http"

	"countersign/internal/sandbox/wire"
)

// report is the detailed verification report (docs/platform.md V2, V7).
type report struct {
	ID     string  `json:"id"`
	Result string  `json:"result"`
	Status string  `json:"status"`
	Stages []stage `json:"stages"`
}

// stage is one part of the verification.
type stage struct {
	StageID   string `json:"stageId"`
	StageType struct {
		Title string `json:"title"`
	} `json:"stageType"`
	AttemptNumber int          `json:"attemptNumber"`
	Result        string       `json:"result"`
	Created       stamp        `json:"created"`
	Details       stageDetails `json:"details"`
}

type stageDetails struct {
	Person   *personDetails   `json:"personalInformation,omitempty"`
	Document *documentDetails `json:"documentInformation,omitempty"`
	Picture  string           `json:"idDocumentPictureUrl,omitempty"`
	Selfie   string           `json:"selfiePictureUrl,omitempty"`
	Scores   map[string]int   `json:"scores,omitempty"`
	Reason   string           `json:"reason,omitempty"`
}

type personDetails struct {
	FirstName   string `json:"firstName"`
	MiddleName  string `json:"middleName,omitempty"`
	LastName    string `json:"lastName"`
	DateOfBirth string `json:"dateOfBirth,omitempty"`
	Gender      string `json:"gender,omitempty"`
}

type documentDetails struct {
	Type   string `json:"type"`
	Number string `json:"number"`
	Valid  bool   `json:"valid"`
}

// undefined is the result that is not known yet.
const undefined = "Undefined"

// reportStatuses are the statuses of a report whose transaction is over.
var reportStatuses = map[string]string{statusCompleted: "Completed", statusCancelled: "Cancelled", statusExpired: "Expired", statusError: "Error"}

// getReport answers with the report on the steps so far.
func (s *Server) getReport(r *http.Request, t *transaction) (any, error) {
	out := report{ID: t.id, Result: or(&t.result, undefined), Status: "InProgress", Stages: []stage{}}
	if status, over := reportStatuses[t.status]; over {
		out.Status = status
	}
	first := t.stageOf(t.hub, "CreateVerification")
	if t.result != "" {
		first.Result = passed // it was begun, whatever the result
	}
	first.Details.Person = t.person()
	out.Stages = append(out.Stages, first)
	for _, one := range t.begun() {
		out.Stages = append(out.Stages, t.checkStage(one, site(r)))
	}
	return out, nil
}

func (t *transaction) stageOf(id, title string) stage {
	one := stage{StageID: id, AttemptNumber: 1, Result: or(&t.result, undefined), Created: stamp{t.created}}
	one.StageType.Title = title
	return one
}

// checkStage returns the stage of a check, with its results so far.
func (t *transaction) checkStage(one check, site string) stage {
	isFace := one.kind == faceCheck
	out := t.stageOf(one.id, map[bool]string{true: "FaceVerification", false: "DocumentVerification"}[isFace])
	if t.result == "" {
		return out
	}
	found := t.findings(one)
	out.Result, out.Details.Reason = found.Result, found.Reason
	if isFace {
		out.Details.Scores = map[string]int{"faceMatch": found.Score}
		out.Details.Selfie = t.dataURL(site, t.address(one, selfie))
		return out
	}
	out.Details.Person = t.person()
	wire.Set(&out.Details.Person.FirstName, t.says.first)
	wire.Set(&out.Details.Person.LastName, t.says.last)
	out.Details.Document = &documentDetails{Type: t.played.documentKind().ID, Number: "SAMPLE0001", Valid: t.passed(one)}
	out.Details.Scores = map[string]int{"documentAuthenticity": found.Score}
	out.Details.Picture = t.dataURL(site, t.address(one, documentFront))
	return out
}

// person returns the client's data of the verified person.
func (t *transaction) person() *personDetails {
	u := t.input.people[0]
	p := &personDetails{FirstName: u.FirstName, MiddleName: u.MiddleName, LastName: u.LastName, Gender: u.Gender}
	if u.DOB != nil {
		p.DateOfBirth = (*u.DOB)[:len("2006-01-02")]
	}
	return p
}
