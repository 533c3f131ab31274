package handlers

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/signing"
)

// PackageEvents tells whoever may see a package that something has changed about it, while
// it is with its signers.
type PackageEvents struct {
	Packages
	Streams Streams
}

// Stream answers GET /packages/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
func (h PackageEvents) Stream(c *gin.Context) error {
	id, _, _, err := h.grant(c)
	if err != nil {
		return err
	}
	return h.Streams.serve(c, PackageTopic(id), h.fetch(id))
}

// PackageTopic is what the hub calls a package.
func PackageTopic(id string) string { return "package " + id }

// fetch reads the package, and has the index know what it has become.
func (h PackageEvents) fetch(id string) events.Fetch {
	seen := ""
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
		if now := revision(p); now != seen && h.Access.Refresh(ctx, id) == nil {
			seen = now
		}
		return packageState(p)
	}
}

// packageState is what a stream tells of a package: the same to whoever may see it, so
// nothing of who has signed.
func packageState(p signing.Package) (events.State, error) {
	status, err := json.Marshal(map[string]string{"status": p.Status})
	if err != nil {
		return events.State{}, err
	}
	change, err := json.Marshal(map[string]string{"revision": revision(p)})
	return events.State{
		Facts: []events.Fact{{Name: "state", Data: status}, {Name: "change", Data: change}},
		Over:  p.Status != signing.StatusSent,
	}, err
}

// revision is another text whenever somebody has signed, or the package's state, its
// people or its documents are others.
func revision(p signing.Package) string {
	h := fnv.New64a()
	fmt.Fprint(h, p.Status, p.Trashed, p.Updated)
	for _, r := range p.Roles {
		fmt.Fprint(h, r.ID, p.Waits(r), r.Signers)
	}
	for _, d := range p.Documents {
		fmt.Fprint(h, d.ID, d.Name)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
