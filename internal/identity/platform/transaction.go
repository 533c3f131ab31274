package platform

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// TransactionInput is the platform's TransactionValidationInput (docs/platform.md I7): a
// transaction for a person to confirm, or one that they have signed.
type TransactionInput struct {
	Data TransactionData `json:"data"`
	// OrchestrationDelivery holds pushNotification, requestMessage or both.
	OrchestrationDelivery []string `json:"orchestrationDelivery,omitempty"`
	// ClientIP is the client's address as we saw it.
	ClientIP Address `json:"clientIP,omitzero"`
}

// TransactionData holds the transaction's data; the last three members are passed on
// unchanged, but for a missing authentMethod of TransactionMessage.
type TransactionData struct {
	FIDO               *FIDOSignature `json:"fido,omitzero"`
	Standard           jsontext.Value `json:"standard,omitzero"`
	SecureChannel      jsontext.Value `json:"secureChannel,omitzero"`
	TransactionMessage jsontext.Value `json:"transactionMessage,omitzero"`
}

// FIDOSignature is a transaction that a UAF authenticator has signed.
type FIDOSignature struct {
	AuthenticationResponse string `json:"authenticationResponse"`
	RequestID              string `json:"requestID,omitzero"`
	CIDPublicKey           string `json:"cidPublicKey,omitzero"`
	TLSUnique              string `json:"tlsUnique,omitzero"`
}

type transactionPayload struct {
	ObjectType string `json:"objectType"`
	Timeout    int    `json:"timeout"`
	TransactionInput
}

// ValidateTransaction lets the platform judge a transaction, or ask the person on their
// device: transaction.refused, with the UAF status code if there is one, if it refuses
// (Specific says why), and account.unknown if it does not know user.
func (c *Client) ValidateTransaction(ctx context.Context, user string, in TransactionInput) (LoginOutput, error) {
	payload := transactionPayload{ObjectType: "TransactionValidationInput", TransactionInput: in}
	return c.decide(ctx, validateTransaction, exchange{values: ofUser(user), body: payload})
}
