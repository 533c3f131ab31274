package identity

import "fmt"

// transactionInput is the payload of transactions/validate,
// TransactionValidationInput (docs/platform.md I7).
type transactionInput struct {
	ObjectType            *string          `json:"objectType"`
	Data                  *transactionData `json:"data"`
	OrchestrationDelivery []string         `json:"orchestrationDelivery"`
	Timeout               *int             `json:"timeout"` // seconds; the answer comes at once all the same
	clientData
}

// transactionData holds one of these: the data that signs the transaction, or the message
// that the person's device shows. Nobody here has a device that makes the signatures of
// Standard and SecureChannel.
type transactionData struct {
	FIDO               *fidoTransaction      `json:"fido"`
	TransactionMessage *transactionMessage   `json:"transactionMessage"`
	Standard           *standardTransaction  `json:"standard"`
	SecureChannel      *secureChannelMessage `json:"secureChannel"`
}

type fidoTransaction struct {
	AuthenticationResponse *string `json:"authenticationResponse"`
	RequestID              *string `json:"requestID"`
	CIDPublicKey           *string `json:"cidPublicKey"`
	TLSUnique              *string `json:"tlsUnique"`
}

type standardTransaction struct {
	DataFields []string `json:"dataFields"`
	Signature  *string  `json:"signature"`
}

type secureChannelMessage struct {
	RequestID *string `json:"requestID"`
	Signature *string `json:"signature"`
}

type transactionMessage struct {
	AuthentMethod *string `json:"authentMethod"`
	messageInput
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
	r.decision(in.ObjectType, []string{"TransactionValidationInput"}, in.OrchestrationDelivery, in.Timeout)
	in.clientData.validate(&r)
	in.Data.validate(&r)
	return r.Err()
}

func (d *transactionData) validate(r *rules) {
	if d == nil {
		r.Broken("data", "is required")
		return
	}
	r.oneOf("data", d.FIDO != nil, d.TransactionMessage != nil, d.Standard != nil, d.SecureChannel != nil)
	switch {
	case d.FIDO != nil:
		r.Required(confirmationField, d.FIDO.AuthenticationResponse)
		r.Required("data.fido.requestID", d.FIDO.RequestID)
		r.requestID("data.fido.requestID", d.FIDO.RequestID)
	case d.TransactionMessage != nil:
		d.TransactionMessage.validate(r)
	case d.Standard != nil:
		d.Standard.validate(r)
	case d.SecureChannel != nil:
		r.Required("data.secureChannel.requestID", d.SecureChannel.RequestID)
		r.requestID("data.secureChannel.requestID", d.SecureChannel.RequestID)
		r.Length("data.secureChannel.signature", d.SecureChannel.Signature, 6, 16)
	}
}

func (s standardTransaction) validate(r *rules) {
	if len(s.DataFields) < 1 || len(s.DataFields) > 8 {
		r.Broken("data.standard.dataFields", "must be 1 to 8 texts")
	}
	for i, text := range s.DataFields {
		r.Length(fmt.Sprintf("data.standard.dataFields.%d", i), &text, 1, 16)
	}
	r.Required("data.standard.signature", s.Signature)
	r.Length("data.standard.signature", s.Signature, 6, 16)
}

func (m transactionMessage) validate(r *rules) {
	const at = "data.transactionMessage"
	r.kind(at+".authentMethod", m.AuthentMethod, protections...)
	m.messageInput.validate(r, at)
	if len(m.DataFields) == 0 {
		r.Broken(at+".dataFields", "is required")
	}
	for i, one := range m.DataFields {
		r.Required(fmt.Sprintf("%s.dataFields.%d.key.text", at, i), one.Key.Text)
		r.Required(fmt.Sprintf("%s.dataFields.%d.value.text", at, i), one.Value.Text)
	}
}
