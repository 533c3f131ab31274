package signing

import (
	"context"
	"log/slog"
	"sync"
)

// maxUnread is how many packages an Unread remembers.
const maxUnread = 4096

// Unread names in the log the packages of the platform that cannot be read, or not in
// whole: each once for each of its updates, however often and wherever it is met. It is
// safe for concurrent use.
type Unread struct {
	logger *slog.Logger

	mu    sync.Mutex
	noted map[string]string // when the package of an id was updated; "" is not known
}

// NewUnread tells logger.
func NewUnread(logger *slog.Logger) *Unread {
	return &Unread{logger: logger, noted: map[string]string{}}
}

// Note names the package of that id, as of updated where that is known: cause is why it
// cannot be read in whole.
func (u *Unread) Note(ctx context.Context, id, updated string, cause error) {
	if u.isNew("package "+id, updated) {
		u.logger.WarnContext(ctx, "a package of the platform cannot be read in whole", "package", id, "updated", updated, "cause", cause.Error())
	}
}

// notePlace names a package without an id by its place in the listing of q.
func (u *Unread) notePlace(ctx context.Context, q Query, place int, cause error) {
	listing := Query{Type: q.Type, Folder: q.Folder, Sort: q.Sort, Ascending: q.Ascending}
	if u.isNew("place "+listing.Encode(place, place), "") {
		u.logger.WarnContext(ctx, "a package of the platform's listing cannot be read", "place", place, "listing", listing.Encode(place, place), "cause", cause.Error())
	}
}

// isNew reports whether name was not noted for that update yet, and notes it. Where one
// of two updates is not known they count as the same.
func (u *Unread) isNew(name, updated string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, noted := u.noted[name]
	if noted && (updated == "" || updated == before) {
		return false
	}
	if !noted && len(u.noted) >= maxUnread {
		clear(u.noted)
	}
	u.noted[name] = updated
	return !noted || before != ""
}
