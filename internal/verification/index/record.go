package index

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/seal"
	"countersign/internal/verification"
)

// A record is the part of a transaction that the index keeps. New members get new
// numbers, and no number is used again. Times are Unix milliseconds.
type record struct {
	ID        string `cbor:"1,keyasint"`
	Starter   string `cbor:"2,keyasint,omitempty"` // a user; "" if not started through Countersign
	Status    string `cbor:"3,keyasint,omitempty"`
	Created   int64  `cbor:"4,keyasint,omitempty"`
	Updated   int64  `cbor:"5,keyasint,omitempty"`
	Language  string `cbor:"6,keyasint,omitempty"`
	Documents int    `cbor:"7,keyasint,omitempty"`
	Result    string `cbor:"8,keyasint,omitempty"`
	ErasureAt int64  `cbor:"9,keyasint,omitempty"` // 0 if not marked
	// Trail is the platform's address of the audit trail; "" if none was asked for.
	Trail string `cbor:"10,keyasint,omitempty"`
	// TrailAt is the time when the audit trail was last asked for.
	TrailAt int64 `cbor:"11,keyasint,omitempty"`
	// About says whom it is about.
	About About `cbor:"12,keyasint,omitempty"`
	// Of is the name of the person being verified; "" if the platform gave none.
	Of string `cbor:"13,keyasint,omitempty"`
}

// after returns the record that follows an answer of the platform. A transaction that is
// over stays over, whichever answer comes last, and its starter stays.
func (t *record) after(said record, now time.Time) record {
	next := said
	if t == nil {
		next.Updated = now.UnixMilli()
		return next
	}
	next.Result, next.ErasureAt, next.Updated = t.Result, t.ErasureAt, t.Updated
	next.Trail, next.TrailAt = t.Trail, t.TrailAt
	if t.Starter != "" {
		next.Starter = t.Starter
	}
	next.Of = cmp.Or(said.Of, t.Of)
	if !verification.Status(t.Status).Active() && verification.Status(said.Status).Active() {
		next.Status = t.Status
	}
	if next.Status != t.Status {
		next.Updated = now.UnixMilli()
	}
	return next
}

// readTransaction reads the platform's answer to a request for id; "" accepts any id. The
// error is platform.failed.
func (t *Index) readTransaction(body jsontext.Value, id string) (record, error) {
	var said struct {
		ID        string           `json:"id"`
		Status    string           `json:"status"`
		Created   string           `json:"created"`
		Language  string           `json:"language"`
		OpaqueID  string           `json:"opaque_id"`
		Documents []jsontext.Value `json:"documents"`
	}
	err := payload.Unmarshal(body, &said)
	if err == nil && (said.ID == "" || id != "" && !strings.EqualFold(said.ID, id)) {
		err = errors.New("access: it is not the transaction that was asked for")
	}
	if err != nil {
		return record{}, fault.Wrap(fault.PlatformFailed, err)
	}
	created, err := time.Parse(time.RFC3339, said.Created)
	if err != nil {
		created = t.now()
	}
	by, _ := t.Open(said.OpaqueID)
	return record{
		ID: strings.ToLower(said.ID), Starter: by.User, Status: said.Status, Created: created.UnixMilli(),
		Language: said.Language, Documents: len(said.Documents), About: aboutOf(by), Of: verification.Transaction{Value: body}.Of(),
	}, nil
}

// A view is the index's knowledge of one transaction for one person.
type view struct {
	space  *access.Space
	name   string
	sealed string  // the record as stored
	record *record // nil if there is none
	missed bool    // the person recently got request.not-found for it
}

// read reads a transaction from the index for person, in one round trip.
func (t *Index) read(ctx context.Context, id string, person access.Person) (view, error) {
	for {
		s, err := t.spaces.Space(ctx)
		if err != nil {
			return view{}, err
		}
		v := view{space: s, name: recordName(s, id)}
		p := t.spaces.Redis.Pipeline()
		slot, value := p.Get(ctx, s.Slot), p.HGet(ctx, s.Records(), v.name)
		missed := p.ZScore(ctx, s.Missed(v.name), s.Person(access.Person{User: person.User}))
		_, _ = p.Exec(ctx) // each reply has its own error
		if err := access.ReadFailure(ctx, "read a transaction", slot, value, missed); err != nil {
			return view{}, err
		}
		if slot.Val() != s.Sealed { // the index was replaced in Redis
			t.spaces.Lost(s)
			continue
		}
		v.sealed, v.record = value.Val(), openRecord(s.Sealer, v.name, value.Val())
		v.missed = missed.Err() == nil && missed.Val() > float64(t.now().UnixMilli())
		return v, nil
	}
}

func recordName(s *access.Space, id string) string { return s.Sealer.Name("transaction " + id) }

// openRecord opens a sealed record; nil if there is none or it cannot be opened.
func openRecord(s seal.Sealer, name, sealed string) *record {
	plain, ok := s.Open([]byte(sealed), []byte(name))
	record := new(record)
	if !ok || cbor.Unmarshal(plain, record) != nil {
		return nil
	}
	return record
}
