package decoy

import (
	"context"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"

	"countersign/internal/ceremony"
	"countersign/internal/redisdb"
)

// recordsKey is the hash in Redis that keeps one record for each question.
const recordsKey = "cs:decoys"

// Records are the records in Redis of real answers, as of a request's arrival.
type Records struct {
	service *Service
	fields  map[string]string
}

// Recall reads the records in one round trip. Call it before the platform is asked: then
// it takes the same time whether a decoy will be needed or not. If Redis was emptied, it
// stores again what this node knows. The error is an outage.
func (s *Service) Recall(ctx context.Context) (Records, error) {
	fields, err := s.redis.HGetAll(ctx, recordsKey).Result()
	if err != nil {
		return Records{}, redisdb.Unavailable(ctx, "recall the records of decoys", err)
	}
	r := Records{service: s, fields: fields}
	for name, record := range s.remember(fields) {
		if err := r.write(ctx, name, record); err != nil {
			return Records{}, err
		}
	}
	return r, nil
}

// remember takes over fields, and returns this node's earlier records that fields lack.
func (s *Service) remember(fields map[string]string) (lost map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost = map[string]string{}
	for name, record := range s.seen {
		if _, kept := fields[name]; !kept {
			lost[name] = record
		}
	}
	maps.Copy(s.seen, fields)
	return lost
}

// write stores record for every node.
func (r Records) write(ctx context.Context, name, record string) error {
	if err := r.service.redis.HSet(ctx, recordsKey, name, record).Err(); err != nil {
		return redisdb.Unavailable(ctx, "keep a record of decoys", err)
	}
	r.fields[name] = record
	r.service.remember(r.fields)
	return nil
}

// update stores record under name unless it is already stored.
func (r Records) update(ctx context.Context, name string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("decoy: encode a record: %w", err)
	}
	if r.fields[name] == string(text) {
		return nil
	}
	return r.write(ctx, name, string(text))
}

// read returns the record under name; ok is false if there is none, or if another version
// of the program wrote it.
func read[R interface{ valid() bool }](r Records, name string) (record R, ok bool) {
	if err := json.Unmarshal([]byte(r.fields[name]), &record); err != nil || !record.valid() {
		return *new(R), false
	}
	return record, true
}

// Real returns request, the platform's answer to q for user, in the form for clients
// other than the account's owner, and stores its parameters for future decoys. The error
// is ErrNoCredentials, an outage, or platform.failed if the protocol's struct cannot hold
// the request.
func (r Records) Real(ctx context.Context, q Question, user, request string) (string, error) {
	if q.Protocol == ceremony.UAF11 {
		return r.realUAF(ctx, q, user, request)
	}
	return r.realFIDO2(ctx, q, request)
}

// Decoy returns an answer to q for user, who cannot sign in.
func (r Records) Decoy(q Question, user string) (string, error) {
	if q.Protocol == ceremony.UAF11 {
		return r.decoyUAF(q, user)
	}
	return r.decoyFIDO2(q, user)
}
