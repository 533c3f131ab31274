package idv

// content is the content of a verification result (docs/platform.md V2).
type content struct {
	Configuration struct {
		WorkflowID string `json:"workflowId"`
		Type       string `json:"type"`
	} `json:"configuration"`
	DossierMetadata struct {
		ID      string `json:"id"`
		Created stamp  `json:"created"`
		Status  string `json:"status"`
	} `json:"dossierMetadata"`
	Evidence []evidenceItem `json:"evidence"`
	Findings findings       `json:"findings"`
}

// evidenceItem is a picture that supports a finding.
type evidenceItem struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// findings are the result of a check; the score is out of 100.
type findings struct {
	Result string `json:"result"`
	Score  int    `json:"score"`
	Reason string `json:"reason,omitempty"`
}

// content returns a check's result.
func (t *transaction) content(one check) content {
	var c content
	c.Configuration.WorkflowID, c.Configuration.Type = t.input.WorkflowID, one.kind
	c.DossierMetadata.ID, c.DossierMetadata.Created, c.DossierMetadata.Status = one.id, stamp{t.created}, t.checkStatus(one)
	for _, name := range t.pictures(one) {
		c.Evidence = append(c.Evidence, evidenceItem{name, t.address(one, name)})
	}
	c.Findings = t.findings(one)
	return c
}

// findings returns the findings of a check.
func (t *transaction) findings(one check) findings {
	switch {
	case t.passed(one):
		return findings{Result: passed, Score: 97}
	case one.kind == faceCheck:
		return findings{Result: failed, Score: 18, Reason: "The face is not the one of the document"}
	default:
		return findings{Result: failed, Score: 21, Reason: "The document has expired"}
	}
}
