package identity

import (
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/internal/signin"
)

// errNoRequestID is the cause of platform.failed for a pending transaction that could not
// be polled.
var errNoRequestID = errors.New("a pending transaction without a requestID")

// Transactions validates a person's transactions: signed by an authenticator that showed
// them, or confirmed on a device.
type Transactions struct {
	Identity   *platform.Client
	Ceremonies Ceremonies
	Limits     request.Limits
	// PushProtection is how people protect their answer to a push, where the client does not
	// say: a word of platform.PushWord.
	PushProtection string
	// PushTTL limits the time to decide.
	PushTTL time.Duration
	Now     func() time.Time
}

// Validate answers POST /users/{user}/transactions/validate: 200 once it is confirmed, or
// 202 and a requestID to poll GET /sessions/{requestID} with.
func (h Transactions) Validate(c *gin.Context) error {
	if err := h.Limits.TakeCeremony(c); err != nil {
		return err
	}
	in, err := request.Decode(c, h.transactionPayload)
	if err != nil {
		return err
	}
	out, err := h.validate(c, in)
	if err != nil {
		return request.Refused(c, audit.Event{Kind: audit.TransactionRefused, Protocol: protocolOf(in)}, err)
	}
	if out.SessionStatus != platform.StatusPending {
		request.Audit(c, audit.Event{Kind: audit.TransactionConfirmed, Protocol: protocolOf(in)})
		return request.Answer(c, http.StatusOK, out.Public())
	}
	if err := h.await(c, out.RequestID); err != nil {
		return err
	}
	return request.Answer(c, http.StatusAccepted, out.Public())
}

// validate spends the transaction's ceremony, if it has one, and asks the platform to
// validate.
func (h Transactions) validate(c *gin.Context, in platform.TransactionInput) (out platform.LoginOutput, err error) {
	if err := h.finish(c, in.Data.FIDO); err != nil {
		return out, err
	}
	in.ClientIP = platform.Address(request.From(c).Address)
	out, err = h.Identity.ValidateTransaction(c.Request.Context(), request.From(c).User, in)
	if err != nil && in.Data.FIDO != nil { // its ceremony is spent
		return out, fault.From(err).Restart()
	}
	return out, err
}

// protocolOf returns the protocol of the authenticator that signed the transaction; empty
// without one.
func protocolOf(in platform.TransactionInput) string {
	if in.Data.FIDO == nil {
		return ""
	}
	return platform.UAF11
}

// await stores in the session the transaction that waits for the person's device.
func (h Transactions) await(c *gin.Context, requestID string) error {
	if requestID == "" {
		return fault.Wrap(fault.PlatformFailed, errNoRequestID)
	}
	state := request.From(c)
	return h.Ceremonies.Sessions.Put(c.Request.Context(), state.Session, &signin.PendingPush{
		Kind: ceremony.Transaction, ID: requestID, RequestID: requestID, User: state.User, Expiry: h.Now().Add(h.PushTTL + signin.PushSlack),
	})
}

// finish spends the ceremony in which the transaction was shown, if there was one.
func (h Transactions) finish(c *gin.Context, signed *platform.FIDOSignature) error {
	if signed == nil {
		return nil
	}
	response, err := ceremony.FromAuthenticationResponse(ceremony.UAF11, signed.AuthenticationResponse)
	if err != nil {
		return at("/data/fido/authenticationResponse", err)
	}
	pending, err := h.Ceremonies.finish(c, ceremony.ClientClaims{
		Kind: ceremony.Transaction, Protocol: ceremony.UAF11, User: request.From(c).User, RequestID: signed.RequestID,
	}, response)
	if err != nil {
		return err
	}
	signed.RequestID = pending.RequestID
	return nil
}
