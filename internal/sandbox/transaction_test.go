package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

func TestTransaction_Confirmed(t *testing.T) {
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

// Nobody has a device that signs these kinds.
func TestTransaction_UnsupportedDevice(t *testing.T) {
	p := start(t)
	for _, data := range []string{`{"standard":{"dataFields":["a"],"signature":"123456"}}`, `{"secureChannel":{"requestID":"42b3a6fe-143e-403c-ac3f-dec6345b6822"}}`} {
		p.post("/users/alice@sandbox/transactions/validate", `{"objectType":"TransactionValidationInput","data":`+data+`}`).
			refused(t, http.StatusConflict, "No authenticators available")
	}
}
