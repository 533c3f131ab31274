package index

import (
	"cmp"
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
	// About identifies the subject.
	About About `cbor:"12,keyasint,omitempty"`
	// Of is the name of the person being verified; "" if the platform gave none.
	Of string `cbor:"13,keyasint,omitempty"`
	// Ended is when it ended, by the platform; 0 while it is under way.
	Ended int64 `cbor:"14,keyasint,omitempty"`
	// Rule is ruled once the rule of retention has marked it. Else it is the time before which the
	// rule leaves it or, less than ruled, the time of erasure for which it is about to mark it.
	Rule int64 `cbor:"15,keyasint,omitempty"`
}

// ruled is the Rule of a transaction that the rule has marked: what somebody takes back is not
// marked once more.
const ruled = -1

// after returns the record that follows an answer of the platform. A transaction that is
// over stays over, whichever answer comes last, and its starter stays.
func (t *record) after(said record, now time.Time) record {
	next := said
	if t == nil {
		next.Updated = now.UnixMilli()
		return next.withEnd(now)
	}
	next.Result, next.ErasureAt, next.Updated = t.Result, t.ErasureAt, t.Updated
	next.Trail, next.TrailAt, next.Rule = t.Trail, t.TrailAt, t.Rule
	next.Ended = cmp.Or(said.Ended, t.Ended)
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
	return next.withEnd(time.UnixMilli(next.Updated))
}

// withEnd has a record that is over end at a time, unless the platform has told when it ended.
func (t record) withEnd(at time.Time) record {
	if t.Ended == 0 && !verification.Status(t.Status).Active() {
		t.Ended = at.UnixMilli()
	}
	return t
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
		err = errors.New("index: the response is another transaction")
	}
	if err != nil {
		return record{}, fault.Wrap(fault.PlatformFailed, err)
	}
	created, err := time.Parse(time.RFC3339, said.Created)
	if err != nil {
		created = t.now()
	}
	by, _ := t.Open(said.OpaqueID)
	var ended int64
	if at := (verification.Transaction{Value: body}).CompletedAt(); !at.IsZero() && !verification.Status(said.Status).Active() {
		ended = at.UnixMilli()
	}
	return record{
		ID: strings.ToLower(said.ID), Starter: by.User, Status: said.Status, Created: created.UnixMilli(),
		Language: said.Language, Documents: len(said.Documents), About: aboutOf(by), Of: verification.Transaction{Value: body}.Subject(),
		Ended: ended,
	}, nil
}

func recordName(s *access.Namespace, id string) string { return s.Sealer.Name("transaction " + id) }

// openRecord opens a sealed record; nil if there is none or it cannot be opened.
func openRecord(s seal.Sealer, name, sealed string) *record {
	plain, ok := s.Open([]byte(sealed), []byte(name))
	record := new(record)
	if !ok || cbor.Unmarshal(plain, record) != nil {
		return nil
	}
	return record
}

// everyTransaction is the owner of the list of all transactions.
const everyTransaction = "every transaction"

// lists returns the lists that contain the transaction: by owner, each for all statuses,
// for its status and for its phase.
func (t *record) lists() []access.List {
	if t == nil {
		return nil
	}
	whose := []string{everyTransaction}
	if t.Starter != "" {
		whose = append(whose, startedByUser(t.Starter))
	}
	var lists []access.List
	for _, of := range whose {
		lists = append(lists, access.List{Of: of, Bucket: ""}, access.List{Of: of, Bucket: t.Status}, access.List{Of: of, Bucket: t.phase()})
	}
	return lists
}

// Underway and Over stand instead of a status: transactions that can still change, and
// those that cannot.
const (
	Underway = "\x00under way"
	Over     = "\x00over"
)

func (t *record) phase() string {
	if !verification.Status(t.Status).Active() {
		return Over
	}
	return Underway
}

func startedByUser(user string) string { return "started by " + user }
