package sandbox

import (
	"net/http"
	"strconv"
	"time"

	"countersign/internal/sandbox/inspector"
	"countersign/internal/sandbox/manage"
	"countersign/internal/sandbox/wire"
)

// inspect is the page on which people see and steer the sandbox.
type inspect struct {
	account // its services
	manage  *manage.Server
}

func (i inspect) routes() []wire.Route {
	return []wire.Route{
		{Method: http.MethodGet, Path: managementPath, Call: i.show},
		{Method: http.MethodPost, Path: managementPath + "/inspector", Call: i.act},
		inspector.Assets(),
	}
}

func (i inspect) show(*http.Request) (any, error) {
	i.manage.Advanced() // time also passes by itself
	faults := &i.manage.Platform.Faults
	return inspector.Page(inspector.View{
		Now: i.manage.Clock.Now().UTC(), Journal: i.manage.Platform.Journal.List(), Messages: i.manage.Outbox.List(),
		People: i.manage.People.List(), Pushes: i.identity.Pushes(), Faults: faults.List(), Chaos: faults.Chaos(),
		Operations: i.manage.Platform.Operations(),
		Packages:   inspector.States(i.signing.Held()), Verifications: inspector.States(i.idv.Held()),
	}), nil
}

// act carries out what a button says, and leads back to the page.
func (i inspect) act(r *http.Request) (any, error) {
	switch do := r.PostFormValue("do"); do {
	case "hour":
		i.manage.Clock.Advance(time.Hour)
		i.manage.Advanced()
	case "reset":
		i.manage.Reset()
	case "fault":
		status, _ := strconv.Atoi(r.PostFormValue("status")) // 0, no status, is refused
		times, _ := strconv.Atoi(r.PostFormValue("times"))
		if err := i.manage.Fail(r.PostFormValue("operation"), status, times); err != nil {
			return nil, err
		}
	case "calm":
		i.manage.Platform.Faults.Clear()
		i.manage.Platform.Faults.SetChaos(nil)
	case "accept", "refuse":
		// One that was decided, or is too late, is no longer on the page.
		_ = i.identity.Decide(r.PostFormValue("request"), do == "accept")
	default:
		return nil, wire.Refuse(http.StatusBadRequest, "The page has no such button")
	}
	return http.RedirectHandler(managementPath+"/", http.StatusSeeOther), nil
}
