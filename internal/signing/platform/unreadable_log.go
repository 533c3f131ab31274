package platform

import (
	"context"
	"log/slog"
	"sync"

	"countersign/internal/signing"
)

// maxNoted limits the packages that an UnreadableLog remembers.
const maxNoted = 4096

// UnreadableLog logs the packages of the platform that cannot be read, or not in full: once for
// each update of a package, however often and wherever it occurs. It is safe for
// concurrent use.
type UnreadableLog struct {
	logger *slog.Logger

	mu    sync.Mutex
	noted map[string]string // package or place → when it was updated; "" if unknown
}

// NewUnreadableLog returns an UnreadableLog that logs to logger.
func NewUnreadableLog(logger *slog.Logger) *UnreadableLog {
	return &UnreadableLog{logger: logger, noted: map[string]string{}}
}

// Note logs that the package cannot be read in full, and why; updated is the package's,
// if known.
func (u *UnreadableLog) Note(ctx context.Context, id, updated string, cause error) {
	if u.isNew("package "+id, updated) {
		u.logger.WarnContext(ctx, "package not read in full", "package", id, "updated", updated, "cause", cause.Error())
	}
}

// notePlace logs a package without an id by its place in the listing of q.
func (u *UnreadableLog) notePlace(ctx context.Context, q signing.Query, place int, cause error) {
	listing := signing.Query{Type: q.Type, Folder: q.Folder, Sort: q.Sort, Ascending: q.Ascending}
	if u.isNew("place "+listing.Encode(place, place), "") {
		u.logger.WarnContext(ctx, "listed package not read", "place", place, "listing", listing.Encode(place, place), "cause", cause.Error())
	}
}

// isNew records name with that update, and reports whether it was not recorded before. An
// unknown update equals any other.
func (u *UnreadableLog) isNew(name, updated string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, noted := u.noted[name]
	if noted && (updated == "" || updated == before) {
		return false
	}
	if !noted && len(u.noted) >= maxNoted {
		clear(u.noted)
	}
	u.noted[name] = updated
	return !noted || before != ""
}
