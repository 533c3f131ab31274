package compose

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
)

// What somebody types whose session is over when they send it is left for them: kept for a
// day, under the person whom the page was shown to, which its ticket says, and found again
// by its mark.

const (
	// maxLeft is how long it may be, in bytes.
	maxLeft = 48 << 10
	// ticketLife is how long after its page was shown a ticket counts: people leave a page
	// open over a weekend and a few days off.
	ticketLife = 7 * 24 * time.Hour
)

// ticketAbout is what the seal of a ticket is about.
var ticketAbout = []byte("ticket")

// Ticket is for a page that is shown to that person now. It counts for a week.
func (s *Service) Ticket(person string) string {
	plain := strconv.FormatInt(s.Now().Add(ticketLife).Unix(), 10) + " " + person
	return base64.RawURLEncoding.EncodeToString(s.Keys.sealer.Seal([]byte(plain), ticketAbout))
}

// holder is whom the page with the ticket was shown to; "" for what is no ticket, or none
// any more.
func (s *Service) holder(ticket string) string {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil {
		return ""
	}
	plain, ok := s.Keys.sealer.Open(sealed, ticketAbout)
	ends, person, _ := strings.Cut(string(plain), " ")
	at, err := strconv.ParseInt(ends, 10, 64)
	if !ok || err != nil || s.Now().Unix() >= at {
		return ""
	}
	return person
}

// Leave keeps what was typed for whoever has the ticket, and returns its mark; "" where the
// ticket is none, or too much was typed.
func (s *Service) Leave(ctx context.Context, ticket string, typed map[string]string) (mark string, err error) {
	person := s.holder(ticket)
	text, err := json.Marshal(typed, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || person == "" || len(text) > maxLeft {
		return "", err
	}
	sum := sha256.Sum256(text)
	mark = hex.EncodeToString(sum[:])
	_, err = s.left(ctx, person, mark, func() (idempotency.Answer, error) { return idempotency.Answer{Status: http.StatusOK, Body: text}, nil })
	if fault.Is(err, fault.RequestIdempotencyBusy) {
		err = nil // it was sent twice, and is being kept
	}
	return mark, err
}

// errNothingLeft is that there is nothing under a mark.
var errNothingLeft = errors.New("compose: nothing was left")

// Left is what was left for the person under the mark; nil for nothing.
func (s *Service) Left(ctx context.Context, person, mark string) (typed map[string]string, err error) {
	if len(mark) != hex.EncodedLen(sha256.Size) || !idempotency.ValidKey(mark) {
		return nil, nil
	}
	text, err := s.left(ctx, person, mark, func() (idempotency.Answer, error) { return idempotency.Answer{}, errNothingLeft })
	if errors.Is(err, errNothingLeft) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &typed, jsontext.AllowInvalidUTF8(true))
	}
	return typed, err
}

// left is what is kept under the mark, else what send answers.
func (s *Service) left(ctx context.Context, person, mark string, send func() (idempotency.Answer, error)) ([]byte, error) {
	request := idempotency.Request{Person: person, Key: mark, Method: http.MethodPost, Path: "/packages/new/left", ContentType: "text/plain", Body: strings.NewReader("")}
	answer, _, err := s.Once.Do(ctx, request, idempotency.Work{
		Send: func(context.Context, *idempotency.Attempt) (idempotency.Answer, error) { return send() },
		Find: func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
			return idempotency.Answer{}, false, nil
		},
	})
	if fault.Is(err, fault.RequestIdempotencyMismatch) {
		err = errNothingLeft // the key is another request's
	}
	return answer.Body, err
}
