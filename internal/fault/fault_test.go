package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/i18n"
)

func TestRows_Complete(t *testing.T) {
	seen := map[fault.Key]bool{}
	key := regexp.MustCompile(`^[a-z0-9-]+\.[a-z0-9-]+$`)
	for _, row := range fault.Rows() {
		if seen[row.Key] {
			t.Errorf("%s has two rows", row.Key)
		}
		seen[row.Key] = true
		if !key.MatchString(string(row.Key)) {
			t.Errorf("%q is not of the form group.name", row.Key)
		}
		if row.Status != 499 && http.StatusText(row.Status) == "" || row.Status < 400 {
			t.Errorf("%s has status %d", row.Key, row.Status)
		}
		if row.Retryable != (row.Action == fault.ActionRetry) {
			t.Errorf("%s: retryable is %t, but its action is %q", row.Key, row.Retryable, row.Action)
		}
		if (row.Status == http.StatusBadGateway || row.Status == http.StatusServiceUnavailable) && !row.Retryable {
			t.Errorf("%s is a %d that nobody may try again", row.Key, row.Status)
		}
	}
}

func TestRows_CannotBeChanged(t *testing.T) {
	fault.Rows()[0].Key = "changed.here"
	if fault.Known("changed.here") || fault.Rows()[0].Key == "changed.here" {
		t.Error("the catalogue was changed from outside")
	}
}

// TestTexts_UsedByRows finds texts that no row uses.
func TestTexts_UsedByRows(t *testing.T) {
	used := map[string]bool{}
	for _, row := range fault.Rows() {
		used[row.TitleID()], used[row.MessageID()], used[row.NextID()] = true, true, true
	}
	for language, ids := range messageIDs(t) {
		for id := range ids {
			if strings.HasPrefix(id, "error.") && !used[id] {
				t.Errorf("%s: %s belongs to no row", language, id)
			}
		}
	}
}

func TestRows_TextsInEveryLanguage(t *testing.T) {
	for language, ids := range messageIDs(t) {
		for _, row := range fault.Rows() {
			for _, id := range []string{row.TitleID(), row.MessageID(), row.NextID()} {
				if ids[id] == nil {
					t.Errorf("%s: no message %s", language, id)
				}
			}
		}
	}
}

// messageIDs returns the messages of each language by their ids.
func messageIDs(t *testing.T) map[string]map[string]json.RawMessage {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]json.RawMessage{}
	for _, language := range bundle.Languages() {
		files, err := filepath.Glob("../i18n/messages/" + language + "/*.json")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", language, err)
		}
		all[language] = map[string]json.RawMessage{}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			messages := all[language]
			if err := json.Unmarshal(content, &messages); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
	}
	return all
}

func TestError_KeepsRowAndCause(t *testing.T) {
	cause := errors.New("connection reset by peer")
	err := fmt.Errorf("loading: %w", fault.Wrap(fault.SessionUnavailable, cause).After(2*time.Second))
	if !fault.Is(err, fault.SessionUnavailable) || fault.Is(err, fault.SessionRequired) {
		t.Errorf("%v is not the row it was made of", err)
	}
	if !errors.Is(err, cause) {
		t.Errorf("%v lost its cause", err)
	}
	f := fault.From(err)
	if f.RetryAfter != 2*time.Second || f.Row().Status != http.StatusServiceUnavailable {
		t.Errorf("row %+v, retry after %v", f.Row(), f.RetryAfter)
	}
}

func TestRows_UnknownIsInternalError(t *testing.T) {
	if f := fault.From(context.DeadlineExceeded); f.Key != fault.ServerInternal || !errors.Is(f, context.DeadlineExceeded) {
		t.Errorf("got %v", f)
	}
	if row := fault.Lookup("no.such"); row.Key != fault.ServerInternal {
		t.Errorf("an unknown key has row %s", row.Key)
	}
	if fault.Known("no.such") || !fault.Known(fault.CeremonySpent) {
		t.Error("Known does not know the catalogue")
	}
}

func TestInvalid_FirstFieldsOnly(t *testing.T) {
	for _, count := range []int{0, 1, 19, 20, 21, 5000} {
		fields := make([]fault.Field, count)
		for i := range fields {
			fields[i] = fault.Field{Pointer: fmt.Sprintf("/%d", count-i), Detail: "field.unknown"}
		}
		f := fault.Invalid(fields...)
		if len(f.Fields) != min(count, 20) {
			t.Errorf("%d of %d fields are named", len(f.Fields), count)
		}
		for i, field := range f.Fields {
			if field != fields[i] {
				t.Errorf("of %d fields, %v is the %dth", count, field, i)
			}
		}
	}
}

func TestRetrySeconds_RoundedUp(t *testing.T) {
	for _, c := range []struct {
		err  *fault.Error
		want int
	}{
		{fault.New(fault.SessionUnavailable), 1},
		{fault.New(fault.SessionUnavailable).After(1500 * time.Millisecond), 2},
		{fault.New(fault.RequestRate), 1},
		{fault.New(fault.RequestRate).After(time.Minute), 60},
		{fault.New(fault.CeremonySpent), 0},
		{fault.New(fault.ServerInternal), 0},
	} {
		if got := c.err.RetrySeconds(); got != c.want {
			t.Errorf("%v after %v: %d seconds, want %d", c.err, c.err.RetryAfter, got, c.want)
		}
	}
}
