package decoy

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"countersign/internal/uaf"
)

// uafRecord holds the parameters of a request that do not depend on the person or the
// answer.
type uafRecord struct {
	AppID      string     `json:"appID,omitzero"`
	ServerData serverData `json:"serverData,omitzero"`
	// Challenge is its length in bytes.
	Challenge uint16 `json:"challenge"`
	// Keys says whether requests name keys, Models which models these have; Others are
	// the alternatives that name no keys.
	Keys   bool                  `json:"keys"`
	Models []model               `json:"models,omitempty"`
	Others [][]uaf.MatchCriteria `json:"others,omitempty"`
}

func (u uafRecord) valid() bool { return u.Challenge > 0 && (u.Keys || len(u.Others) > 0) }

func (r Records) realUAF(ctx context.Context, q Question, user, text string) (string, error) {
	request, err := readAuthenticationRequest(text)
	if err != nil {
		return "", err
	}
	err = r.update(ctx, q.name(), uafRecord{
		AppID:      request.appID,
		ServerData: measure(request.serverData, user),
		Challenge:  uint16(base64.RawURLEncoding.DecodedLen(len(request.challenge))),
		Keys:       len(request.policy.keys) > 0,
		Models:     withModels(r.uaf(q).Models, request.policy.keys),
		Others:     request.policy.others,
	})
	if err != nil {
		return "", err
	}
	return request.encode()
}

// decoyUAF derives the keys and draws everything else again.
func (r Records) decoyUAF(q Question, user string) (string, error) {
	record := r.uaf(q)
	request := authenticationRequest{
		appID:      record.AppID,
		serverData: record.ServerData.draw(user),
		challenge:  randomText(int(record.Challenge)),
		policy:     policy{others: record.Others},
	}
	if record.Keys {
		request.policy.keys = r.service.person(user).keys(r.service.known(record.Models))
	}
	return request.encode()
}

// uaf returns the record of q, or the settings' values.
func (r Records) uaf(q Question) uafRecord {
	if record, ok := read[uafRecord](r, q.name()); ok {
		return record
	}
	return uafRecord{AppID: r.service.appID, ServerData: serverData{Before: 32, User: true}, Challenge: 32, Keys: true}
}

// known returns the models of the settings and of a record. If there are none, it derives
// an invented model from the key.
func (s *Service) known(seen []model) []model {
	models := slices.Concat(s.models, seen)
	if len(models) == 0 {
		drawn := s.mac("\x00model")
		return []model{{AAID: uaf.AAID(fmt.Sprintf("%04X#%04X", drawn[:2], drawn[2:4])), KeyID: keyIDLength}}
	}
	return models
}
