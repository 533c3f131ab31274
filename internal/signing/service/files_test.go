package service

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
)

var now = time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)

// counted returns a reader of a document that counts how often it is fetched.
func counted(text string, n *int) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) {
		*n++
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func at(age time.Duration) string { return now.Add(-age).Format(time.RFC3339) }

func TestFiles_SettledDocumentKept(t *testing.T) {
	dir := t.TempDir()
	f := &Files{Dir: dir, Now: func() time.Time { return now }}
	defer f.Drop("")
	for updated, fetches := range map[string]int{at(time.Minute): 1, at(time.Second): 3, "": 3, "yesterday": 3} {
		n := 0
		for range 3 {
			content, err := f.Read(t.Context(), fileKey{"p", "d", updated}, counted("text", &n))
			if err != nil || string(content) != "text" {
				t.Errorf("%q: %q, %v", updated, content, err)
			}
		}
		if n != fetches {
			t.Errorf("updated %q: fetched %d times, not %d", updated, n, fetches)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the files have names: %v, %v", left, err)
	}
}

func TestFiles_DroppedDocumentFetchedAgain(t *testing.T) {
	f := &Files{Dir: t.TempDir(), Now: func() time.Time { return now }}
	defer f.Drop("")
	n, key := 0, fileKey{"p", "d", at(time.Minute)}
	for _, drop := range []string{"other", "p", ""} {
		if _, err := f.Read(t.Context(), key, counted("text", &n)); err != nil {
			t.Fatal(err)
		}
		f.Drop(drop)
	}
	if n != 2 || f.size != 0 || len(f.kept) != 0 {
		t.Errorf("fetched %d times, %d bytes and %d documents left", n, f.size, len(f.kept))
	}
}

func TestFiles_OldestDropped(t *testing.T) {
	clock := now
	f := &Files{Dir: t.TempDir(), Now: func() time.Time { clock = clock.Add(time.Second); return clock }}
	defer f.Drop("")
	n := 0
	for i := range maxFiles + 10 {
		if _, err := f.Read(t.Context(), fileKey{strconv.Itoa(i), "d", at(time.Minute)}, counted("text", &n)); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.kept) != maxFiles || f.size != 4*maxFiles {
		t.Errorf("%d documents of %d bytes are kept", len(f.kept), f.size)
	}
	if f.kept[fileKey{"0", "d", at(time.Minute)}] != nil || f.kept[fileKey{strconv.Itoa(maxFiles + 9), "d", at(time.Minute)}] == nil {
		t.Error("the oldest stays, or the newest goes")
	}
}

func TestFiles_FailedFetchNotKept(t *testing.T) {
	f := &Files{Dir: t.TempDir(), Now: func() time.Time { return now }}
	key, broken := fileKey{"p", "d", at(time.Minute)}, errors.New("broken")
	if _, err := f.Read(t.Context(), key, func(context.Context) (io.ReadCloser, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	large := func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(zeros{}, maxFile+1)), nil
	}
	if _, err := f.Read(t.Context(), key, large); !fault.Is(err, fault.DocumentNotShown) {
		t.Errorf("a large document: %v", err)
	}
	if len(f.kept) != 0 {
		t.Error("it is kept")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Who waits for a document that another fetches may give up.
func TestFiles_WaiterGivesUp(t *testing.T) {
	f := &Files{Dir: t.TempDir(), Now: func() time.Time { return now }}
	defer f.Drop("")
	key, asked, sent, done := fileKey{"p", "d", at(time.Minute)}, make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := f.Read(t.Context(), key, func(context.Context) (io.ReadCloser, error) {
			close(asked)
			<-sent
			return io.NopCloser(strings.NewReader("text")), nil
		})
		done <- err
	}()
	<-asked
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Read(ctx, key, counted("text", new(int))); !fault.Is(err, fault.RequestCancelled) {
		t.Errorf("given up: %v", err)
	}
	close(sent)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Many read the same documents while others drop them.
func TestFiles_ConcurrentReadAndDrop(t *testing.T) {
	f := &Files{Dir: t.TempDir(), Now: func() time.Time { return now }}
	defer f.Drop("")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for round := range 200 {
				n, pkg := 0, strconv.Itoa(round%3)
				content, err := f.Read(t.Context(), fileKey{pkg, "d", at(time.Minute)}, counted("text of "+pkg, &n))
				if err != nil || string(content) != "text of "+pkg {
					t.Errorf("read %q, %v", content, err)
				}
				if i == 0 {
					f.Drop(pkg)
				}
			}
		})
	}
	all.Wait()
}
