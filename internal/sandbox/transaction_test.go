package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

func TestTransactionIsConfirmed(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	p.confirm("alice@sandbox", p.sign("alice@sandbox", device, strings.Repeat("x", 200))).uaf(t, http.StatusOK, uaf.StatusOK)
	p.confirmFor("alice@sandbox", p.sign("alice@sandbox", device, "Pay 5"), "42b3a6fe-143e-403c-ac3f-dec6345b6822").refusedUAF(t, uaf.StatusRequestInvalid)
	if p.registrations("alice@sandbox")[0]["lastUsedTime"] == nil {
		t.Error("a confirmed transaction is no use of the authenticator")
	}
	late := p.sign("alice@sandbox", device, "Pay 6")
	p.advance("180s")
	p.confirm("alice@sandbox", late).refusedUAF(t, uaf.StatusRequestInvalid)
}

// pushTransaction sends a transaction to the person's device and returns the requestID.
func (p platform) pushTransaction(user string) string {
	p.t.Helper()
	a := p.post("/users/"+user+"/transactions/validate", object{
		"objectType": "TransactionValidationInput", "timeout": 0, "clientIP": "192.0.2.1", "orchestrationDelivery": []string{"pushNotification"},
		"data": object{"transactionMessage": object{"authentMethod": "NoPIN", "dataFields": []object{{"key": object{"text": "Amount"}, "value": object{"text": "5 EUR"}}}}},
	})
	if a.status != http.StatusAccepted || a.string("sessionStatus") != "pending" || a.string("requestID") == "" || len(a.body) != 2 {
		p.t.Fatalf("push: %d %s", a.status, a.text)
	}
	return a.string("requestID")
}

func (p platform) status(requestID string) string {
	p.t.Helper()
	return p.call(http.MethodGet, "/sessions/"+requestID, nil).string("sessionStatus")
}

func TestTransactionPayloads(t *testing.T) {
	p := start(t, withUAF(t))
	const method, fields = `"authentMethod":"NoPIN"`, `"dataFields":[{"key":{"text":"a"},"value":{"text":"b"}}]`
	const message = `"transactionMessage":{` + method + `,` + fields + `}`
	const id = `"requestID":"42b3a6fe-143e-403c-ac3f-dec6345b6822"`
	const fido = `"fido":{"authenticationResponse":"[]",` + id + `}`
	for _, one := range []struct{ data, rest, fields string }{
		{`{}`, ``, "data"},
		{`null`, ``, "data"},
		{`{` + fido + `,` + message + `}`, ``, "data"},
		{`{` + message + `}`, `,"orchestrationDelivery":["fax"]`, "orchestrationDelivery"},
		{`{` + message + `}`, `,"orchestrationDelivery":["pushNotification","pushNotification"]`, "orchestrationDelivery"},
		{`{` + message + `}`, `,"timeout":-1`, "timeout"},
		{`{` + message + `}`, `,"clientIP":"::1"`, "clientIP"},
		{`{"transactionMessage":{}}`, ``, "data.transactionMessage.authentMethod data.transactionMessage.dataFields"},
		{`{"transactionMessage":{"authentMethod":"Voice",` + fields + `}}`, ``, "data.transactionMessage.authentMethod"},
		{`{"transactionMessage":{` + method + `,"dataFields":[{"key":{"text":"a"}}]}}`, ``, "data.transactionMessage.dataFields.0.value.text"},
		{`{"transactionMessage":{` + method + `,"dataFields":[{"value":{"text":"a"}}]}}`, ``, "data.transactionMessage.dataFields.0.key.text"},
		{`{"transactionMessage":{` + method + `,` + fields + `,"subject":"` + strings.Repeat("ü", 43) + `"}}`, ``, "data.transactionMessage.subject"},
		{`{"transactionMessage":{` + method + `,` + fields + `,"subject":" "}}`, ``, "data.transactionMessage.subject"},
		{`{"transactionMessage":{` + method + `,` + fields + `,"title":{"text":""}}}`, ``, "data.transactionMessage.title.text"},
		{`{"fido":{}}`, ``, "data.fido.authenticationResponse data.fido.requestID"},
		{`{"fido":{"authenticationResponse":"[]","requestID":"a"}}`, ``, "data.fido.requestID"},
		{`{"fido":{"fidoProtocol":"UAF11","authenticationResponse":"[]",` + id + `}}`, ``, "data.fido.fidoProtocol"},
		{`{"fido":{"authenticationResponse":[],` + id + `}}`, ``, "data.fido.authenticationResponse"},
		{`{"standard":{"dataFields":[],"signature":"1"}}`, ``, "data.standard.dataFields data.standard.signature"},
		{`{"standard":{"dataFields":["a","` + strings.Repeat("b", 17) + `"],"signature":"123456"}}`, ``, "data.standard.dataFields.1"},
		{`{"standard":{"dataFields":["1","2","3","4","5","6","7","8","9"],"signature":"123456"}}`, ``, "data.standard.dataFields"},
		{`{"secureChannel":{"requestID":"a","signature":"1"}}`, ``, "data.secureChannel.requestID data.secureChannel.signature"},
		{`{"fidoTransactionMessage":"a"}`, ``, "data.fidoTransactionMessage"},
		{`{"standard":null,` + message + `}`, ``, "data.standard"},
		{`{` + message + `,"more":1}`, ``, "data.more"},
	} {
		t.Run(one.data+one.rest, func(t *testing.T) {
			p.post("/users/alice@sandbox/transactions/validate",
				`{"objectType":"TransactionValidationInput","data":`+one.data+one.rest+`}`).invalid(t, strings.Split(one.fields, " ")...)
		})
	}
	p.post("/users/alice@sandbox/transactions/validate", `{"data":{`+message+`}}`).invalid(t, "objectType")
	p.post("/users/alice@sandbox/transactions/validate", `{"objectType":"AdaptiveTransactionValidationInput","data":{`+message+`}}`).invalid(t, "objectType")
	if a := p.post("/users/alice@sandbox/transactions/validate", `{"objectType":"TransactionValidationInput","data":{`+message+`}}`); a.status != http.StatusAccepted {
		t.Errorf("%d %s", a.status, a.text)
	}
	// Nobody has a device that signs the other two kinds.
	for _, data := range []string{`{"standard":{"dataFields":["a"],"signature":"123456"}}`, `{"secureChannel":{` + id + `}}`} {
		p.post("/users/alice@sandbox/transactions/validate", `{"objectType":"TransactionValidationInput","data":`+data+`}`).
			refused(t, http.StatusConflict, "No authenticators available")
	}
}
