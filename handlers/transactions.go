package handlers

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/reqctx"
	"countersign/session"
)

// errNoRequestID is an answer that nobody could ask about again.
var errNoRequestID = errors.New("a pending transaction without a requestID")

// methodTransaction marks what is pending as a transaction: accepting it signs
// nobody in.
const methodTransaction = "transaction"

// Transactions has a person confirm transactions: with an authenticator that
// showed and signed them, or on their device.
type Transactions struct {
	Identity   *identity.Client
	Sessions   *session.Store
	Ceremonies Ceremonies
	Limits     Limits
}

// Validate answers POST /users/{user}/transactions/validate: 200 when it is
// confirmed, or 202 and a requestID to poll GET /sessions/{requestID} with.
func (h Transactions) Validate(c *gin.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	in, err := transactionPayload(body)
	if err != nil {
		return err
	}
	if err := h.Limits.ceremony(c); err != nil {
		return err
	}
	if in.Data.FIDO != nil {
		if err := h.finish(c, in.Data.FIDO); err != nil {
			return err
		}
	}
	ctx, user := c.Request.Context(), userOf(c)
	in.ClientIP = reqctx.From(ctx).Address
	out, err := h.Identity.ValidateTransaction(ctx, user, in)
	if err != nil {
		return err
	}
	if out.SessionStatus != identity.StatusPending {
		return answer(c, http.StatusOK, out.Public())
	}
	if out.RequestID == "" {
		return fault.Wrap(fault.PlatformFailed, errNoRequestID)
	}
	if err := h.Sessions.AddPending(ctx, SessionOf(c), session.PendingSignIn{
		RequestID: out.RequestID, User: user, Method: methodTransaction,
	}); err != nil {
		return err
	}
	return answer(c, http.StatusAccepted, out.Public())
}

// finish spends the ceremony in which the transaction was shown.
func (h Transactions) finish(c *gin.Context, signed *identity.FIDOSignature) error {
	protocol := ceremony.Protocol(signed.FIDOProtocol)
	response, err := ceremony.FromAuthenticationResponse(protocol, signed.AuthenticationResponse)
	if err != nil {
		return at("/data/fido/authenticationResponse", err)
	}
	pending, err := h.Ceremonies.finish(c, ceremony.Presented{
		Kind: ceremony.Transaction, Protocol: protocol, User: userOf(c), RequestID: signed.RequestID,
	}, response)
	if err != nil {
		return err
	}
	signed.RequestID = pending.RequestID
	return nil
}

// transactionPayload reads the platform's TransactionValidationInput
// (identity-facts section 2.5). As with a sign-in, objectType, clientIP and
// timeout are set by us, and members that we do not know are not passed on.
func transactionPayload(body *object) (identity.TransactionInput, error) {
	var in identity.TransactionInput
	in.OrchestrationDelivery = body.texts("orchestrationDelivery", "pushNotification", "requestMessage")
	data := body.object("data")
	if data == nil {
		if body.err() == nil {
			body.note("data", "field.required")
		}
		return in, body.err()
	}
	kinds := 0
	if fido := data.object("fido"); fido != nil {
		kinds++
		in.Data.FIDO = &identity.FIDOSignature{
			FIDOProtocol:           fido.required("fidoProtocol", protocolUAF11, protocolFIDO2),
			AuthenticationResponse: fido.required("authenticationResponse"),
		}
		if in.Data.FIDO.FIDOProtocol == protocolUAF11 {
			fido.refuse(forFIDO2, "requestID")
		}
		in.Data.FIDO.RequestID = fido.nonEmpty("requestID")
	}
	for name, to := range map[string]*rawMember{
		"standard": &in.Data.Standard, "secureChannel": &in.Data.SecureChannel, "transactionMessage": &in.Data.TransactionMessage,
	} {
		if value, ok := data.takeObject(name); ok {
			kinds++
			*to = value
		}
	}
	if kinds != 1 && body.err() == nil {
		data.noteSelf("field.transaction")
	}
	return in, body.err()
}
