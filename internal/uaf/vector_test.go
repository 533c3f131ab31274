package uaf_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"countersign/internal/uaf"
)

// An authentication response of the FIDO Alliance's conformance documentation: made
// without this code, it confirms the layout, the text under the final challenge hash and
// the members' names independently.
const publishedResponse = `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth","appID":"https://uaf.example.com/facets.json",` +
	`"serverData":"mz0YSKHLXDd_StbbDINZaRvW3Pa6sxrNMPYp2gOs3-Y"},` +
	`"fcParams":"eyJmYWNldElEIjoiaHR0cHM6Ly91YWYuZXhhbXBsZS5jb20vaW5kZXguaHRtbCIsImFwcElEIjoiaHR0cHM6Ly91YWYuZXhhbXBsZS5jb20vZmFjZXRzLmpzb24i` +
	`LCJjaGFsbGVuZ2UiOiI0RDhlVXhkU3pRX1JiazdHZjBTb29LN1hyOU8yTFUtZzE1MHN0T3BLMGdvIiwiY2hhbm5lbEJpbmRpbmciOnt9fQ",` +
	`"assertions":[{"assertionScheme":"UAFV1TLV","assertion":"Aj7EAAQ-dgALLgkARkZGRiNGQzAzDi4FAAEAAQIADy4IAB4gsCir67EvCi4gAMYR1ZSqYuPLiNpY` +
	`lomDJYGZZGQRGSlLlThqf8ZzF-k2EC4AAAkuIADaied-MDJnRRzcYvhXI4R1GAiTPuqiCrOYhNwQ8ui8_Q0uBAABAAAABi5GADBEAiDDt4-pzmEWZyakWcWGdtBQLIXSf75w` +
	`L3tEjiCIry_QtQIgjw0oMlQqKOHdG2M26e1Z0bG4wGjfow_vu5zp-VkALFo"}]}]`

func TestResponse_PublishedExample(t *testing.T) {
	response, err := uaf.ParseAuthenticationResponse(publishedResponse)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := uaf.ReadResponse(uaf.OperationAuthentication, publishedResponse); err != nil {
		t.Error(err)
	}
	if p := response.Params; p.AppID != "https://uaf.example.com/facets.json" || p.FacetID != "https://uaf.example.com/index.html" {
		t.Errorf("fcParams %+v", p)
	}
	data, err := base64.RawURLEncoding.DecodeString(response.Assertions[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	assertion, err := uaf.ParseAuthenticationAssertion(data)
	if err != nil {
		t.Fatal(err)
	}
	want := uaf.AssertionInfo{AuthenticatorVersion: 1, Mode: uaf.ModeVerified, Algorithm: uaf.AlgorithmP256DER}
	if assertion.AAID != "FFFF#FC03" || assertion.Info != want || assertion.SignCounter != 1 || len(assertion.KeyID) != 32 {
		t.Errorf("read %+v", assertion.SignedData)
	}
	if !bytes.Equal(assertion.FinalChallengeHash, uaf.FinalChallengeHash(response.FCParams)) {
		t.Error("the final challenge hash is not that of the published assertion")
	}
}
