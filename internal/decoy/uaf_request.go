package decoy

import (
	"countersign/internal/uaf"
)

// authenticationRequest is the UAF 1.1 AuthenticationRequest for clients other than the
// account's owner.
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
