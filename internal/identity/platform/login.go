package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// LoginInput is the platform's payload of that name (docs/platform.md I5), or its
// AdaptiveLoginInput.
type LoginInput struct {
	Credentials *Credentials `json:"credentials,omitzero"`
	// RequestID continues a FIDO, challenge or secure-channel exchange.
	RequestID string `json:"requestID,omitzero"`
	// OrchestrationDelivery holds pushNotification, requestMessage or both.
	OrchestrationDelivery []string `json:"orchestrationDelivery,omitempty"`
	// ClientIP is the client's address as we saw it.
	ClientIP Address `json:"clientIP,omitzero"`
	// CDDC is the browser's risk data, LoginMessage the text of a push; both are passed
	// on unchanged.
	CDDC         jsontext.Value `json:"cddc,omitzero"`
	LoginMessage jsontext.Value `json:"loginMessage,omitzero"`
	// RelationshipRef and SessionID make the login adaptive, together with CDDC; without
	// one of the three, none of these is sent.
	RelationshipRef string `json:"relationshipRef,omitzero"`
	SessionID       string `json:"sessionID,omitzero"`
	ApplicationRef  string `json:"applicationRef,omitzero"`
}

// IsAdaptive reports whether in has all that risk analytics require.
func (in LoginInput) IsAdaptive() bool {
	return len(in.CDDC) > 0 && in.RelationshipRef != "" && in.SessionID != ""
}

// Credentials is the one credential of a login.
type Credentials struct {
	// PassKey is the static password or, for a push, one of the words of PushWord.
	PassKey           string          `json:"passKey,omitzero"`
	Authenticator     *OTPCredential  `json:"authenticator,omitzero"`
	FIDOAuthenticator *FIDOCredential `json:"fidoAuthenticator,omitzero"`
}

// OTPCredential is a one-time password, with what its authenticator may need.
type OTPCredential struct {
	OTP          string `json:"OTP"`
	PIN          string `json:"PIN,omitzero"`
	SerialNumber string `json:"serialNumber,omitzero"`
}

// FIDOCredential is an authenticator's response.
type FIDOCredential struct {
	// AuthenticationResponse is the JSON text of the credential (FIDO2) or of
	// the UAF message, as the client sent it.
	AuthenticationResponse string `json:"authenticationResponse"`
	ChannelBinding
}

// ChannelBinding is what a FIDO response may say about its connection, passed on unchanged.
type ChannelBinding struct {
	CIDPublicKey string `json:"cidPublicKey,omitzero"`
	TLSUnique    string `json:"tlsUnique,omitzero"`
	TokenBinding string `json:"tokenBinding,omitzero"`
}

// LoginOutput is the platform's response. SessionStatus is StatusAccepted or
// StatusPending; a pending one has a RequestID to poll SessionStatus with, or a
// FIDOAuthenticationRequest to sign, or both.
type LoginOutput struct {
	SessionStatus SessionStatus `json:"sessionStatus"`
	RequestID     string        `json:"requestID"`
	// RequestMessage is a hex command for the orchestration SDK.
	RequestMessage   string  `json:"requestMessage"`
	RiskResponseCode *Number `json:"riskResponseCode"`
	EventID          *Number `json:"eventId"`
	Challenge        string  `json:"challenge"`
	// FIDOAuthenticationRequest is a JSON text, as AuthenticationRequest.
	FIDOAuthenticationRequest string  `json:"fidoAuthenticationRequest"`
	UAFStatusCode             *Number `json:"uafStatusCode"`

	members map[string]jsontext.Value
}

// publicMembers are the members of the response that a client may see: the documented
// ones. Undocumented members may hold anything.
var publicMembers = []string{
	"requestID", "requestMessage", "riskResponseCode", "eventId", "challenge", "fidoAuthenticationRequest", "uafStatusCode",
}

// Public returns the response as a client may see it, member by member: the documented
// members that the platform sent, unchanged, and sessionStatus in its normal form.
func (o LoginOutput) Public() map[string]any {
	public := map[string]any{"sessionStatus": o.SessionStatus}
	for _, name := range publicMembers {
		if value, ok := o.members[name]; ok {
			public[name] = value
		}
	}
	return public
}

// loginPayload is LoginInput with the constant members of every login: the type of the
// input, and the time-out 0, with which the platform responds at once instead of waiting
// for the person.
type loginPayload struct {
	ObjectType string `json:"objectType"`
	Timeout    int    `json:"timeout"`
	LoginInput
}

// The words that ask for a push instead of a password, by how the person protects their
// answer on the device (docs/platform.md I5). Face is deprecated.
const (
	PushNoPIN       = "NoPIN"
	PushPIN         = "PIN"
	PushFingerprint = "Fingerprint"
	PushFace        = "Face"
)

// unseen are the characters that nobody sees, beside white space: all of Unicode's
// Default_Ignorable_Code_Point, all that format or control, and the empty pattern of Braille.
var unseen = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Z, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}},
}

// PushWord returns the word for which text stands: compared after NFKC and case folding,
// without white space and characters that nobody sees. A password for which there is one
// must never reach the platform: it would push to the person's phone.
func PushWord(text string) (word string, ok bool) {
	folded := foldWord(text)
	for _, word := range []string{PushNoPIN, PushPIN, PushFingerprint, PushFace} {
		if folded == foldWord(word) {
			return word, true
		}
	}
	return "", false
}

func foldWord(text string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unseen...) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	return norm.NFKC.String(cases.Fold().String(visible))
}

// Login lets the platform judge a sign-in. The error is sign-in.refused, with the reason
// in Specific, unless it is accepted or pending: for 400, 404 and 409, and for a 200 with
// the status refused, timeout, failed or unknown or with a UAF status code that refuses.
// A 400 to a push without a reason that is known is platform.failed: our request was wrong,
// and the person's phone does not ring. No error shows the password or the one-time password,
// even if the platform repeats it.
func (c *Client) Login(ctx context.Context, user string, in LoginInput) (LoginOutput, error) {
	payload := loginPayload{ObjectType: "AdaptiveLoginInput", LoginInput: in}
	if !in.IsAdaptive() {
		payload.ObjectType, payload.RelationshipRef, payload.SessionID, payload.ApplicationRef = "LoginInput", "", "", ""
	}
	out, err := c.decide(ctx, login, exchange{values: ofUser(user), body: payload, secrets: in.Credentials.secrets()})
	if in.Credentials.pushes() && invalidRequest(err) {
		err = fault.Wrap(fault.PlatformFailed, err)
	}
	return out, err
}

// invalidRequest reports whether the platform refuses the form of a request, and names no
// reason that is known.
func invalidRequest(err error) bool {
	return refusedBy(err, http.StatusBadRequest) && fault.From(err).Specific == ""
}

// refusedBy reports whether the platform answered with one of statuses.
func refusedBy(err error, statuses ...int) bool {
	said, refused := errors.AsType[*upstream.Error](err)
	return refused && !said.Foreign && slices.Contains(statuses, said.Status)
}

// decide makes a call whose response is a decision: accepted or pending; any other is the
// error op.Refusal.
func (c *Client) decide(ctx context.Context, op upstream.Operation, x exchange) (LoginOutput, error) {
	var body jsontext.Value
	x.out = &body
	if err := c.call(ctx, op, x); err != nil {
		return LoginOutput{}, err
	}
	out, err := readLogin(op, body)
	if err != nil {
		return LoginOutput{}, err
	}
	switch {
	case out.SessionStatus != StatusAccepted && out.SessionStatus != StatusPending, refused(out.UAFStatusCode):
		e := refusedWith(op, out.UAFStatusCode, fmt.Errorf("%s: session status %s", op.Name, out.SessionStatus))
		if e.Specific == "" {
			e.Specific = decisions[out.SessionStatus]
		}
		return LoginOutput{}, e
	case out.SessionStatus == StatusPending && out.RequestID == "" && out.FIDOAuthenticationRequest == "":
		return LoginOutput{}, lacks(op, "requestID", out.UAFStatusCode)
	}
	return out, nil
}

// decisions are the rows for the person's decisions on their device.
var decisions = map[SessionStatus]fault.Key{
	StatusRefused: fault.AuthenticationDeclined,
	StatusTimeout: fault.AuthenticationTimedOut,
}

// readLogin parses body twice: as LoginOutput, and as the members that were sent.
func readLogin(op upstream.Operation, body jsontext.Value) (LoginOutput, error) {
	if len(body) == 0 {
		return LoginOutput{}, lacks(op, "sessionStatus", nil)
	}
	var out LoginOutput
	if err := json.Unmarshal(body, &out); err != nil {
		return LoginOutput{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: decode the response: %w", op.Name, err))
	}
	if out.SessionStatus == "" {
		return LoginOutput{}, lacks(op, "sessionStatus", out.UAFStatusCode)
	}
	if err := json.Unmarshal(body, &out.members); err != nil {
		return LoginOutput{}, fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: decode the response: %w", op.Name, err))
	}
	return out, nil
}

// pushes reports whether the credential is a word that asks for a push.
func (c *Credentials) pushes() bool {
	if c == nil {
		return false
	}
	_, ok := PushWord(c.PassKey)
	return ok
}

// secrets returns what no error may show.
func (c *Credentials) secrets() []string {
	if c == nil || c.pushes() {
		return nil
	}
	all := []string{c.PassKey}
	if c.Authenticator != nil {
		all = append(all, c.Authenticator.OTP, c.Authenticator.PIN)
	}
	return all
}
