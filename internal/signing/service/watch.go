package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/access"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// Watch returns the reader of a package for its live pages: it tells the index what the
// package has become. A stream tells everybody who can see the package the same, so nothing
// of who has signed.
func (s *Service) Watch(id string) events.Fetch {
	var seen int64
	var checks signing.FileChecks
	return func(ctx context.Context) (events.State, error) {
		p, err := s.Platform.Package(ctx, id)
		if fault.Is(err, fault.RequestNotFound) {
			_, _ = s.Index.NoteChange(ctx, id, true) // the next read finds out again
		}
		if err != nil {
			return events.State{}, err
		}
		accessOf := index.AccessLevels(p)
		if said, err := s.FileChecks(ctx, p); err == nil { // else they are as they were
			checks = said
		}
		now, err := s.Revision(ctx, p, checks)
		if err != nil {
			return events.State{}, err
		}
		if now != seen && s.Index.Refresh(ctx, id) == nil {
			seen = now
		}
		return packageState(p.Status, now, accessOf)
	}
}

func packageState(status string, revision int64, accessOf func(access.Person) index.AccessLevel) (events.State, error) {
	state, err := json.Marshal(map[string]string{"status": status})
	if err != nil {
		return events.State{}, err
	}
	change, err := json.Marshal(map[string]int64{"revision": revision})
	return events.State{
		Facts: []events.Fact{{Name: "state", Data: state}, {Name: "change", Data: change}},
		Over:  status != signing.StatusSent,
		Sees:  func(p events.Person) bool { return accessOf(access.Person(p)) > index.NoAccess },
	}, err
}

// FileChecks returns what the platform found in the files that the package's signers have
// attached; it asks only where there are any.
func (s *Service) FileChecks(ctx context.Context, p signing.Package) (signing.FileChecks, error) {
	attached := func(r signing.Role) bool {
		return slices.ContainsFunc(r.Files, func(a signing.AttachmentRequest) bool { return len(a.Attached) > 0 })
	}
	if !slices.ContainsFunc(p.Roles, attached) {
		return nil, nil
	}
	return s.Platform.FileChecks(ctx, p.ID)
}

// Revision returns a number that grows whenever somebody has signed, or the package's state,
// its people, its documents or the checks of its files are others.
func (s *Service) Revision(ctx context.Context, p signing.Package, checks signing.FileChecks) (int64, error) {
	content := fmt.Append(nil, p.Status, p.Trashed, p.Updated)
	for _, check := range checks {
		content = fmt.Append(content, check.Status, check.Reason)
	}
	for _, r := range p.Roles {
		content = fmt.Append(content, r.ID, p.Waits(r), r.Signers)
	}
	for _, d := range p.Documents {
		content = fmt.Append(content, d.ID, d.Name)
	}
	return s.Revisions.Of(ctx, Topic(p.ID), content)
}
