package service_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/internal/verification/service"
)

// A success of the platform stays a success if the index and live pages cannot be told:
// the log says so, and the next read corrects the index.
func TestSuccess_KeptWhenIndexFails(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		operation, path string // the end of the path of the call at which Redis fails
		do              func(w *world, id string) error
		status          string // the status in the list after the next read
	}{
		{"cancelTransaction", "/event", func(w *world, id string) error {
			cancelled, err := w.Cancel(ctx, w.actor(carol), id)
			if err == nil && cancelled.Status != verification.Cancelled {
				t.Errorf("it is cancelled as %q", cancelled.Status)
			}
			return err
		}, "cancelled"},
		{"markForErasure", "/mark-for-erasure", func(w *world, id string) error {
			done, err := w.Erase(ctx, w.actor(carol), verification.Erasure{Days: 7, IDs: []string{id}})
			if err == nil && !done[id] {
				t.Error("it is not told that it is erased")
			}
			return err
		}, "new"},
		{"createSessionToken", "/token", func(w *world, id string) error {
			_, err := w.Token(ctx, w.actor(alice), id, "customer")
			return err
		}, "new"},
	} {
		w := newWorld(t)
		id := w.started()
		w.journal.Events, w.hints, w.breaks = nil, nil, c.path
		if err := c.do(w, id); err != nil {
			t.Errorf("%s: %v", c.operation, err)
		}
		if len(w.journal.Logged) == 0 && c.operation != "createSessionToken" { // which the index need not know
			t.Errorf("%s: the log tells nothing", c.operation)
		}
		want := audit.Event{Kind: audit.VerificationChanged, Operation: c.operation, Subject: id, OnBehalfOf: "alice@sandbox"}
		if c.operation == "createSessionToken" {
			want.OnBehalfOf = ""
		}
		if len(w.journal.Events) != 1 || w.journal.Events[0] != want || len(w.hints) != 1 || w.hints[0] != id {
			t.Errorf("%s: recorded %+v, hinted %v", c.operation, w.journal.Events, w.hints)
		}
		w.breaks, w.down = "", false
		if _, err := w.Get(ctx, w.actor(alice), id); err != nil {
			t.Fatal(err)
		}
		list, err := w.List(ctx, w.actor(alice), index.Query{From: 1, To: 10})
		if err != nil || list.Count != 1 || list.Results[0].Status != c.status {
			t.Errorf("%s: listed as %+v, %v", c.operation, list, err)
		}
	}
}

// A transaction that was started while the index could not be told can be read by its
// starter, and is listed afterwards.
func TestStart_IndexUnavailable(t *testing.T) {
	w := newWorld(t)
	w.breaks = "/api/transaction/"
	made, _, err := w.Start(t.Context(), w.actor(alice), service.Start{Payload: strings.NewReader(payload)})
	if err != nil || len(w.journal.Logged) == 0 {
		t.Fatalf("started: %v, the log has %v", err, w.journal.Logged)
	}
	w.breaks, w.down = "", false
	if got, err := w.Get(t.Context(), w.actor(alice), made.ID); err != nil || !got.MayPlay {
		t.Errorf("read: %+v, %v", got, err)
	}
	if list, err := w.List(t.Context(), w.actor(alice), index.Query{From: 1, To: 10}); err != nil || list.Count != 1 {
		t.Errorf("listed as %+v, %v", list, err)
	}
}

// A client that leaves as soon as it has sent the form starts one transaction: the key's next use
// gets that.
func TestStart_ClientLeaves(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(t.Context())
	whole := readerFunc(func([]byte) (int, error) { leave(); return 0, io.EOF })
	made, _, err := w.Start(ctx, w.actor(alice), service.Start{Payload: io.MultiReader(strings.NewReader(payload), whole), Key: "once"})
	if err != nil {
		t.Fatal(err)
	}
	again, replayed, err := w.Start(t.Context(), w.actor(alice), service.Start{Payload: strings.NewReader(payload), Key: "once"})
	if err != nil || !replayed || again.ID != made.ID {
		t.Errorf("%q and %q, replayed %t: %v", made.ID, again.ID, replayed, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Nothing but the index keeps the link to an audit trail: the request fails if it cannot
// be kept.
func TestAuditTrail_LinkCannotBeKept(t *testing.T) {
	w := newWorld(t)
	id := w.started()
	w.breaks = "/generate-audit-trail"
	if _, err := w.GenerateTrail(t.Context(), w.actor(alice), id, false); !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("the link is lost, and the error is %v", err)
	}
	w.breaks, w.down = "", false
	if _, err := w.Trail(t.Context(), w.actor(alice), id, nil); !fault.Is(err, fault.RequestNotFound) {
		t.Errorf("an audit trail without a link: %v", err)
	}
	if _, err := w.GenerateTrail(t.Context(), w.actor(alice), id, false); err != nil {
		t.Errorf("asked for again: %v", err)
	}
}

// A link to pass on is of a new token and the role that plays, for the starter alone and
// while the transaction is active.
func TestLink_NewTokenForStarter(t *testing.T) {
	w := newWorld(t)
	w.LinkLifetime = time.Hour
	w.Platform.AccessURL = w.Platform.Upstream.URL().String() + "/esign/{transaction}?access_token={token}"
	made, _, err := w.Start(t.Context(), w.actor(alice), service.Start{
		Payload: strings.NewReader(`{"tokens":[{"role":"witness"},{"role":"customer"}],"users":[{"first_name":"Anna","last_name":"Muster"}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.journal.Events = nil
	before := time.Now()
	link, err := w.Link(t.Context(), w.actor(alice), made.ID)
	if err != nil || link.URL == made.Tokens[1].AccessURL || !strings.Contains(link.URL, made.ID) || link.Until.Before(before.Add(time.Hour)) {
		t.Fatalf("the link is %+v, %v", link, err)
	}
	now, err := w.Get(t.Context(), w.actor(alice), made.ID)
	if err != nil || !strings.HasSuffix(link.URL, now.Tokens[1].Token) || now.Tokens[0].Token != made.Tokens[0].Token {
		t.Errorf("it is not of the role that plays: %+v, %v", now.Tokens, err)
	}
	if len(w.journal.Events) != 1 || w.journal.Events[0].Operation != "createSessionToken" {
		t.Errorf("recorded %+v", w.journal.Events)
	}
	if _, err := w.Link(t.Context(), w.actor(carol), made.ID); !fault.Is(err, fault.RequestNotFound) {
		t.Errorf("an operator's link: %v", err)
	}
	w.Platform.AccessURL = "" // the first token's page leads with the new token
	untold, err := w.Link(t.Context(), w.actor(alice), made.ID)
	if now, _ := w.Get(t.Context(), w.actor(alice), made.ID); err != nil || !strings.HasSuffix(untold.URL, now.Tokens[1].Token) || untold.URL == link.URL {
		t.Errorf("a link without a template: %+v, %v", untold, err)
	}
	if _, err := w.Cancel(t.Context(), w.actor(alice), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Link(t.Context(), w.actor(alice), made.ID); !fault.Is(err, fault.VerificationState) {
		t.Errorf("a link of what is over: %v", err)
	}
}

// What did not fail is not tried again, and nobody but its starter tries again.
func TestAgain_OnlyAfterFailure(t *testing.T) {
	w := newWorld(t)
	id := w.started()
	for _, who := range []access.Person{alice, carol} {
		want := map[bool]fault.Key{false: fault.VerificationState, true: fault.RequestNotFound}[who.Operator]
		if _, _, err := w.Again(t.Context(), w.actor(who), id, func(bool) string { return "https://cs.example/" }, ""); !fault.Is(err, want) {
			t.Errorf("%s tries again what is active: %v", who.User, err)
		}
	}
}
