package identity

import (
	"github.com/go-json-experiment/json/jsontext"
)

// transactionInput is the payload of transactions/validate,
// TransactionValidationInput (docs/platform.md I7).
type transactionInput struct {
	ObjectType            *string          `json:"objectType"`
	Data                  *transactionData `json:"data"`
	OrchestrationDelivery []string         `json:"orchestrationDelivery"`
	Timeout               *int             `json:"timeout"` // seconds; the answer comes at once all the same
	riskData
}

// transactionData holds one of these: the data that signs the transaction, or the message
// that the person's device shows.
type transactionData struct {
	FIDO               *fidoTransaction    `json:"fido"`
	TransactionMessage *transactionMessage `json:"transactionMessage"`
	// Unsupported: the sandbox has no Digipass to sign with and no risk analysis that
	// would ask for a FIDO request.
	Standard               jsontext.Value `json:"standard"`
	SecureChannel          jsontext.Value `json:"secureChannel"`
	FIDOTransactionMessage jsontext.Value `json:"fidoTransactionMessage"`
}

const notServed = "is not served by this sandbox"

type fidoTransaction struct {
	FIDOProtocol           *string `json:"fidoProtocol"`
	AuthenticationResponse *string `json:"authenticationResponse"`
	RequestID              *string `json:"requestID"`
}

type transactionMessage struct {
	DataFields []struct {
		Key   messageText `json:"key"`
		Value messageText `json:"value"`
	} `json:"dataFields"`
}

type messageText struct {
	Text *string `json:"text"`
}

func (in transactionInput) validate() error {
	var r rules
	r.decision("TransactionValidationInput", in.ObjectType, in.OrchestrationDelivery, in.Timeout)
	r.address(in.ClientIP)
	in.Data.validate(&r, len(in.OrchestrationDelivery) > 0)
	return r.Err()
}

func (d *transactionData) validate(r *rules, pushed bool) {
	if d == nil {
		r.Broken("data", "is required")
		return
	}
	switch {
	case given(d.Standard):
		r.Broken("data.standard", notServed)
	case given(d.SecureChannel):
		r.Broken("data.secureChannel", notServed)
	case given(d.FIDOTransactionMessage):
		r.Broken("data.fidoTransactionMessage", notServed)
	case (d.FIDO == nil) == (d.TransactionMessage == nil):
		r.Broken("data", "must be of one kind")
	case d.FIDO != nil && pushed:
		r.Broken("orchestrationDelivery", "is for a transactionMessage only")
	case d.FIDO != nil:
		d.FIDO.validate(r)
	default:
		d.TransactionMessage.validate(r, pushed)
	}
}

// validate refuses FIDO2, whose signatures cover no transaction.
func (f fidoTransaction) validate(r *rules) {
	r.kind("data.fido.fidoProtocol", f.FIDOProtocol, uaf11)
	r.Required(confirmationField, f.AuthenticationResponse)
	r.only(fido2, "data.fido.requestID", f.RequestID != nil, f.FIDOProtocol)
}

func (m transactionMessage) validate(r *rules, pushed bool) {
	if !pushed {
		r.Broken("orchestrationDelivery", "is required")
	}
	if len(m.DataFields) == 0 {
		r.Broken("data.transactionMessage.dataFields", "is required")
	}
	for _, one := range m.DataFields {
		if or(one.Key.Text, "") == "" || one.Value.Text == nil {
			r.Broken("data.transactionMessage.dataFields", "must each have a key and a value with a text")
			return
		}
	}
}
