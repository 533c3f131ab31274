package decoy

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"

	"countersign/internal/uaf"
)

// authenticationRequest is the UAF AuthenticationRequest of version 1.1 of whoever is
// not the account's owner.
type authenticationRequest struct {
	appID      string
	serverData string
	challenge  string
	policy     policy
}

func readAuthenticationRequest(text string) (authenticationRequest, error) {
	read, err := uaf.ReadAuthenticationRequest(text)
	if err != nil {
		return authenticationRequest{}, unreadable(err)
	}
	accepted, err := readPolicy(read.Policy)
	return authenticationRequest{
		appID: read.Header.AppID, serverData: read.Header.ServerData, challenge: read.Challenge, policy: accepted,
	}, err
}

func (r authenticationRequest) encode() (string, error) {
	text, err := uaf.AuthenticationRequest{
		Header:    uaf.NewHeader(uaf.OperationAuthentication, r.appID, r.serverData),
		Challenge: r.challenge,
		Policy:    r.policy.encode(),
	}.Encode()
	if err != nil {
		return "", unreadable(err)
	}
	return text, nil
}

// uafRecord has the parameters of a request: all that is not one person's or one
// answer's.
type uafRecord struct {
	AppID      string     `json:"appID,omitzero"`
	ServerData serverData `json:"serverData,omitzero"`
	// Challenge is its length in bytes.
	Challenge uint16 `json:"challenge"`
	// Keys tells whether requests name keys, Models of which models; Others are the
	// alternatives that name none.
	Keys   bool                  `json:"keys"`
	Models []model               `json:"models,omitempty"`
	Others [][]uaf.MatchCriteria `json:"others,omitempty"`
}

func (u uafRecord) valid() bool { return u.Challenge > 0 && (u.Keys || len(u.Others) > 0) }

// serverData is how long a serverData is. The platform checks it, so that real ones pass
// as they are; it is often under a MAC and names the user.
type serverData struct {
	// Before and After are bytes of base64url, around the user id if User is set.
	Before uint16 `json:"before,omitzero"`
	User   bool   `json:"user,omitzero"`
	After  uint16 `json:"after,omitzero"`
	// Text is the number of characters of one that is not base64url.
	Text uint16 `json:"text,omitzero"`
}

func (r Records) realUAF(ctx context.Context, q Question, user, text string) (string, error) {
	request, err := readAuthenticationRequest(text)
	if err != nil {
		return "", err
	}
	err = r.learn(ctx, q.name(), uafRecord{
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

func measure(text, user string) serverData {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return serverData{Text: uint16(len(text))}
	}
	for i := range len(data) - len(user) + 1 {
		if bytes.EqualFold(data[i:i+len(user)], []byte(user)) {
			return serverData{Before: uint16(i), User: true, After: uint16(len(data) - i - len(user))}
		}
	}
	return serverData{Before: uint16(len(data))}
}

// decoyUAF draws everything anew but the keys.
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

func (d serverData) draw(user string) string {
	if !d.User {
		user = ""
	}
	data := make([]byte, int(d.Before)+len(user)+int(d.After))
	_, _ = rand.Read(data) // it ends the program rather than return an error
	copy(data[d.Before:], user)
	return base64.RawURLEncoding.EncodeToString(data) + randomText(int(d.Text))[:d.Text]
}

func randomText(n int) string {
	data := make([]byte, n)
	_, _ = rand.Read(data)
	return base64.RawURLEncoding.EncodeToString(data)
}

// uaf is the record of q, or what the settings say.
func (r Records) uaf(q Question) uafRecord {
	if record, ok := read[uafRecord](r, q.name()); ok {
		return record
	}
	return uafRecord{AppID: r.service.appID, ServerData: serverData{Before: 32, User: true}, Challenge: 32, Keys: true}
}

// known are the models of the settings and of a record. Where there is neither, a model
// of nobody's is drawn from the key.
func (s *Service) known(seen []model) []model {
	models := slices.Concat(s.models, seen)
	if len(models) == 0 {
		drawn := s.mac("\x00model")
		return []model{{AAID: uaf.AAID(fmt.Sprintf("%04X#%04X", drawn[:2], drawn[2:4])), KeyID: keyIDLength}}
	}
	return models
}
