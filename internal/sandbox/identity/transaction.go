package identity

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// transactionInput is the payload of transactions/validate,
// TransactionValidationInput of the public facts (2.5).
type transactionInput struct {
	ObjectType            *string          `json:"objectType"`
	Data                  *transactionData `json:"data"`
	OrchestrationDelivery []string         `json:"orchestrationDelivery"`
	Timeout               *int             `json:"timeout"` // seconds; the answer comes at once all the same

	ClientIP        *string        `json:"clientIP"`
	CDDC            jsontext.Value `json:"cddc"`
	RelationshipRef *string        `json:"relationshipRef"`
	SessionID       *string        `json:"sessionID"`
	ApplicationRef  *string        `json:"applicationRef"`
}

// transactionData is what signs the transaction or, as a message, is shown on
// the person's device; one of them.
type transactionData struct {
	FIDO               *fidoTransaction    `json:"fido"`
	TransactionMessage *transactionMessage `json:"transactionMessage"`
	// Not served: the sandbox has no Digipass to sign with and no risk analysis
	// that would ask for a FIDO request.
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

// validate takes UAF alone: what FIDO2 signs holds no transaction.
func (f fidoTransaction) validate(r *rules) {
	r.Required("data.fido.fidoProtocol", f.FIDOProtocol)
	if f.FIDOProtocol != nil && *f.FIDOProtocol != "" {
		r.OneOf("data.fido.fidoProtocol", f.FIDOProtocol, uaf11)
	}
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

// confirmationField is where a confirmed transaction carries what an
// authenticator signed.
const confirmationField = "data.fido.authenticationResponse"

// validateTransaction judges a transaction that was confirmed with an
// authenticator, or has the person's device asked about one.
func (s *Server) validateTransaction(r *http.Request) (any, error) {
	var in transactionInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	out, err := s.transaction(r, in)
	if err != nil {
		return nil, inProtocol(in.protocol(), err)
	}
	return out, nil
}

func (s *Server) transaction(r *http.Request, in transactionInput) (loginOutput, error) {
	if err := in.validate(); err != nil {
		return loginOutput{}, err
	}
	p, err := s.actor(r)
	if err != nil {
		return loginOutput{}, err
	}
	if fido := in.Data.FIDO; fido != nil {
		return s.prove(p, *fido.FIDOProtocol, signed{
			field: confirmationField, response: *fido.AuthenticationResponse, transaction: true,
		})
	}
	return loginOutput{SessionStatus: statusPending, RequestID: s.push(p)}, nil
}

// protocol is "" for a transaction that has nothing to do with FIDO.
func (in transactionInput) protocol() string {
	if in.Data == nil || in.Data.FIDO == nil {
		return ""
	}
	return or(in.Data.FIDO.FIDOProtocol, "")
}

// given tells a member that is there from one that is absent or null.
func given(value jsontext.Value) bool { return value != nil && value.Kind() != 'n' }
