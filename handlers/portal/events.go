package portal

import (
	"context"
	"fmt"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// PackageEvents tells whoever may see a package that something has changed about it, while
// it is with its signers.
type PackageEvents struct {
	Packages
	Streams page.Streams
}

// Stream answers GET /packages/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
func (h PackageEvents) Stream(c *gin.Context) error {
	id, person, _, err := h.grant(c)
	if err != nil {
		return err
	}
	return h.Streams.Serve(c, PackageTopic(id), person, h.fetch(id))
}

// PackageTopic is what the hub calls a package.
func PackageTopic(id string) string { return "package " + id }

// fetch reads the package, and has the index know what it has become.
func (h PackageEvents) fetch(id string) events.Fetch {
	var seen int64
	return func(ctx context.Context) (events.State, error) {
		value, err := h.Platform.Package(ctx, id)
		if fault.Is(err, fault.RequestNotFound) {
			_ = h.Access.Gone(ctx, id) // whoever asks next finds out again
		}
		if err != nil {
			return events.State{}, err
		}
		p, err := signing.ReadPackage(value)
		if err != nil {
			return events.State{}, err
		}
		standing, err := index.Standings(value)
		if err != nil {
			return events.State{}, err
		}
		now, err := h.revision(ctx, id, p)
		if err != nil {
			return events.State{}, err
		}
		if now != seen && h.Access.Refresh(ctx, id) == nil {
			seen = now
		}
		return packageState(p.Status, now, standing)
	}
}

// packageState is what a stream tells of a package: the same to whoever may see it, so
// nothing of who has signed.
func packageState(status string, revision int64, standing func(access.Person) index.Standing) (events.State, error) {
	state, err := json.Marshal(map[string]string{"status": status})
	if err != nil {
		return events.State{}, err
	}
	change, err := json.Marshal(map[string]int64{"revision": revision})
	return events.State{
		Facts: []events.Fact{{Name: "state", Data: state}, {Name: "change", Data: change}},
		Over:  status != signing.StatusSent,
		Sees:  func(p events.Person) bool { return standing(access.Person(p)) > index.Stranger },
	}, err
}

// revision is a greater number whenever somebody has signed, or the package's state, its
// people or its documents are others.
func (p Packages) revision(ctx context.Context, id string, pkg signing.Package) (int64, error) {
	content := fmt.Append(nil, pkg.Status, pkg.Trashed, pkg.Updated)
	for _, r := range pkg.Roles {
		content = fmt.Append(content, r.ID, pkg.Waits(r), r.Signers)
	}
	for _, d := range pkg.Documents {
		content = fmt.Append(content, d.ID, d.Name)
	}
	return p.Revisions.Of(ctx, PackageTopic(id), content)
}
