package identity

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/signin"
)

// transactionPayload reads the platform's TransactionValidationInput (docs/platform.md
// I7). As with a sign-in, Countersign sets objectType, clientIP and timeout, and unknown
// members are not passed on.
func (h Transactions) transactionPayload(body payload.Object) (platform.TransactionInput, error) {
	var in platform.TransactionInput
	in.OrchestrationDelivery = deliveries(body)
	data, ok := body.Object("data")
	if !ok {
		if body.Err() == nil {
			body.Note("data", "field.required")
		}
		return in, body.Err()
	}
	kinds := 0
	for _, kind := range []string{"fido", "standard", "secureChannel", "transactionMessage"} {
		if _, ok := data.Object(kind); ok {
			kinds++
		}
	}
	h.readTransaction(data, &in.Data, kinds == 1)
	if kinds != 1 && body.Err() == nil {
		data.NoteSelf("field.transaction")
	}
	return in, body.Err()
}

// readTransaction reads the transaction's data. What goes to the platform as it is, is
// checked if it is the only data.
func (h Transactions) readTransaction(data payload.Object, out *platform.TransactionData, alone bool) {
	if fido, ok := data.Object("fido"); ok {
		out.FIDO = fidoSignature(fido)
	}
	if !alone {
		return
	}
	if standard, ok := data.Object("standard"); ok {
		out.Standard = standardSignature(standard)
	}
	if channel, ok := data.Object("secureChannel"); ok {
		if channel.Required("requestID"); channel.Has("requestID") {
			requestID(channel)
		}
		channel.Between("signature", 6, 16, "field.signature")
		out.SecureChannel = withoutNulls(channel)
	}
	if message, ok := data.Object("transactionMessage"); ok {
		out.TransactionMessage = h.transactionMessage(message)
	}
}

// fidoSignature reads what a UAF authenticator has signed. FIDO2 is refused, whose signatures
// cover no transaction.
func fidoSignature(fido payload.Object) *platform.FIDOSignature {
	protocol, _ := fido.Text("fidoProtocol", platform.UAF11, platform.FIDO2)
	if !fido.Has("fidoProtocol") && fidoMethod("", fido.StringOrEmpty("authenticationResponse")) != signin.MethodUAF {
		fido.Note("fidoProtocol", "field.required")
	}
	out := &platform.FIDOSignature{AuthenticationResponse: fido.Required("authenticationResponse")}
	if protocol != "" && out.AuthenticationResponse != "" && fidoMethod(protocol, out.AuthenticationResponse) != signin.MethodUAF {
		fido.NoteSelf(forUAF11)
	}
	out.RequestID = requestID(fido)
	binding := channelBinding(fido)
	out.CIDPublicKey, out.TLSUnique = binding.CIDPublicKey, binding.TLSUnique
	return out
}

// standardSignature checks fields and their signature, and returns both as they stand in the
// body.
func standardSignature(standard payload.Object) jsontext.Value {
	if fields, ok := standard.Member("dataFields"); !ok {
		standard.Note("dataFields", "field.required")
	} else if n := fields.Count(); fields.Kind() == '[' && (n < 1 || n > 8) {
		fields.Note("field.signed-texts")
	}
	for field := range standard.Elements("dataFields") {
		if text, ok := field.Text(); ok && (text == "" || len([]rune(text)) > 16) {
			field.Note("field.signed-text")
		}
	}
	if standard.Required("signature"); standard.Has("signature") {
		standard.Between("signature", 6, 16, "field.signature")
	}
	return withoutNulls(standard)
}

// transactionMessage checks the text of a push, and returns it as it stands in the body, with
// the word for how people protect their answer: the client's, unless PushProtection asks for
// more than that.
func (h Transactions) transactionMessage(message payload.Object) jsontext.Value {
	word, _ := message.Text("authentMethod", platform.PushNoPIN, platform.PushPIN, platform.PushFingerprint, platform.PushFace)
	pushText(message)
	if fields, ok := message.Member("dataFields"); !ok {
		message.Note("dataFields", "field.required")
	} else if fields.Kind() == '[' && fields.Count() == 0 {
		fields.Note("field.empty")
	}
	for field := range message.Objects("dataFields") {
		for _, name := range []string{"key", "value"} {
			if part, ok := field.Object(name); ok {
				part.NonEmpty("text")
			} else if !field.Has(name) {
				field.Note(name, "field.required")
			}
		}
	}
	text, protected := withoutNulls(message), signin.ProtectionOf(word, h.PushProtection)
	if protected == word {
		return text
	}
	members := payload.Members(text)
	members["authentMethod"], _ = jsontext.AppendQuote(nil, protected)
	text, _ = json.Marshal(members, json.Deterministic(true))
	return text
}
