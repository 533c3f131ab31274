package uaf

// Request is the part of a passing request that a relay reads.
type Request struct {
	AppID        string // empty: the facet ID is the appID
	Challenge    []byte // decoded
	Transactions []Transaction
}

// requestWire has the members that a relay reads.
type requestWire struct {
	Header       Header        `json:"header"`
	Challenge    string        `json:"challenge"`
	Transactions []Transaction `json:"transaction"`
}

// ReadRequest parses a RegistrationRequest or an AuthenticationRequest of version 1.1,
// without the policy. Null and an empty list count as an absent member: the message is
// passed on unchanged, and clients judge it.
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

// ReadAuthenticationRequest parses an AuthenticationRequest of version 1.1 with its
// policy, as leniently as [ReadRequest].
func ReadAuthenticationRequest(message string) (*AuthenticationRequest, error) {
	dictionary, err := selectDictionary(message)
	if err != nil {
		return nil, err
	}
	request := new(AuthenticationRequest)
	if err := decodeJSON("request", dictionary, request); err != nil {
		return nil, err
	}
	return request, first(request.Header.check(OperationAuthentication), checkChallenge(request.Challenge))
}

// RelayedResponse is the part of a passing response that a relay reads.
type RelayedResponse struct {
	// Operation is the header's; a relay checks it once it has found the response's
	// request.
	Operation Operation
	AppID     string // the header's; may be empty
	Params    FinalChallengeParams
	Challenge []byte // of Params, decoded
	// Confirmed holds the transaction content hash of each well-formed assertion, empty
	// if the assertion confirms none. For a registration it is nil.
	Confirmed [][]byte
	// AAID is the model of the authenticator that answered; "" for a registration, and if
	// several did.
	AAID AAID
}

// ReadResponse parses the response to a request of operation to its last byte, with its
// assertions, and verifies no signature. One well-formed assertion is enough; without
// any, the error is the first one's.
func ReadResponse(operation Operation, message string) (RelayedResponse, error) {
	response, err := decodeResponse(message)
	if err != nil {
		return RelayedResponse{}, err
	}
	challenge, err := response.Params.ChallengeBytes()
	if err != nil {
		return RelayedResponse{}, err
	}
	relayed := RelayedResponse{
		Operation: response.Header.Operation, AppID: response.Header.AppID,
		Params: response.Params, Challenge: challenge,
	}
	var models []AAID
	var refusal error
	good := 0
	for _, a := range response.Assertions {
		if operation == OperationRegistration {
			_, err = a.Registration()
		} else {
			var parsed *AuthenticationAssertion
			if parsed, err = a.Authentication(); err == nil {
				relayed.Confirmed = append(relayed.Confirmed, parsed.TransactionHash)
				models = append(models, parsed.AAID)
			}
		}
		if err == nil {
			good++
		} else if refusal == nil {
			refusal = err
		}
	}
	if good == 0 {
		return RelayedResponse{}, refusal
	}
	if len(models) == 1 {
		relayed.AAID = models[0].Canonical()
	}
	return relayed, nil
}
