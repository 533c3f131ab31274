package uaf

// Request is what a relay reads of a request that passes through it.
type Request struct {
	AppID        string // empty: the facet ID is the appID
	Challenge    []byte // decoded
	Transactions []Transaction
}

// requestWire leaves the policy and everything else to those it is meant for.
type requestWire struct {
	Header       Header        `json:"header"`
	Challenge    string        `json:"challenge"`
	Transactions []Transaction `json:"transaction"`
}

// ReadRequest reads a RegistrationRequest or an AuthenticationRequest of
// version 1.1, whatever policy it has. Where null stands it takes it for an
// absent member: the message goes on as it is, and the server's spelling is for
// its clients to judge.
func ReadRequest(operation Operation, message string) (Request, error) {
	dictionary, err := selectDictionary(message)
	if err != nil {
		return Request{}, err
	}
	var wire requestWire
	if err := decodeJSON("request", dictionary, &wire); err != nil {
		return Request{}, err
	}
	if err := wire.Header.check(operation); err != nil {
		return Request{}, err
	}
	challenge, err := decodeBase64URL("challenge", wire.Challenge, minChallenge, maxChallenge)
	if err != nil {
		return Request{}, err
	}
	return Request{AppID: wire.Header.AppID, Challenge: challenge, Transactions: wire.Transactions}, nil
}
