package uaf

// RegistrationRequest asks a client to register (UAF protocol, section of that
// name).
type RegistrationRequest struct {
	Header    Header `json:"header"`
	Challenge string `json:"challenge"` // base64url of 8 to 64 bytes, see [EncodeChallenge]
	Username  string `json:"username"`  // 1 to 128 characters
	Policy    Policy `json:"policy"`
}

// AuthenticationRequest asks a client to authenticate and, with Transactions, the forms
// of one transaction, to confirm it.
type AuthenticationRequest struct {
	Header       Header        `json:"header"`
	Challenge    string        `json:"challenge"` // base64url of 8 to 64 bytes, see [EncodeChallenge]
	Transactions []Transaction `json:"transaction,omitempty"`
	Policy       Policy        `json:"policy"`
}

// EncodeChallenge encodes a challenge of 8 to 64 bytes for a request.
func EncodeChallenge(challenge []byte) (string, error) {
	if size := len(challenge); size < minChallenge || size > maxChallenge {
		return "", unacceptable("challenge: %d bytes", size)
	}
	return encodeBase64URL(challenge), nil
}

// NewHeader returns the header of a request of version 1.1.
func NewHeader(operation Operation, appID, serverData string) Header {
	return Header{Version: ProtocolVersion(), Operation: operation, AppID: appID, ServerData: serverData}
}

// Encode checks the request against the protocol's limits and writes it as the
// one dictionary of a message.
func (r RegistrationRequest) Encode() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return encodeMessage(r)
}

// Encode checks the request against the protocol's limits and writes it as the
// one dictionary of a message.
func (r AuthenticationRequest) Encode() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return encodeMessage(r)
}

// ParseRegistrationRequest parses a server's request like an authenticator's client:
// strictly, with its policy.
func ParseRegistrationRequest(message string) (*RegistrationRequest, error) {
	return parseRequest(message, (*RegistrationRequest).check)
}

// ParseAuthenticationRequest is [ParseRegistrationRequest] for authentication.
func ParseAuthenticationRequest(message string) (*AuthenticationRequest, error) {
	return parseRequest(message, (*AuthenticationRequest).check)
}

func parseRequest[R any](message string, check func(*R) error) (*R, error) {
	dictionary, err := selectDictionary(message)
	if err != nil {
		return nil, err
	}
	request := new(R)
	if err := decodeJSON("request", dictionary, request, strict); err != nil {
		return nil, err
	}
	if err := check(request); err != nil {
		return nil, err
	}
	return request, nil
}
