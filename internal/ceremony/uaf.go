package ceremony

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// uafResponse is the part of a UAF response that Check looks at.
type uafResponse struct{ uaf.RelayedResponse }

func readUAFRequest(operation uaf.Operation, message string) (Request, error) {
	r, err := uaf.ReadRequest(operation, message)
	if err != nil {
		return Request{}, fmt.Errorf("UAF request: %w", err)
	}
	var hashes []byte
	for _, form := range r.Transactions {
		hashes = append(hashes, form.Hash()...)
	}
	return Request{
		Protocol: UAF11, Text: message, Challenge: r.Challenge, AppID: r.AppID, TransactionHash: hashes,
	}, nil
}

// readUAFResponse requires assertions for operation. The operation that the header names
// is left to check, like the type in FIDO2's client data.
func readUAFResponse(operation uaf.Operation, message string) (*Response, error) {
	r, err := uaf.ReadResponse(operation, message)
	if err != nil {
		return nil, fmt.Errorf("UAF response: %w", err)
	}
	return &Response{Protocol: UAF11, Challenge: r.Challenge, AAID: string(r.AAID), inner: uafResponse{r}}, nil
}

// check checks from the operation to the transaction, in the order of Check.
func (a uafResponse) check(rp RelyingParty, p *Pending, got ClientClaims) error {
	if want := uafOperation(got.Kind); a.Operation != want {
		return refuseUAF(fault.CeremonyType, "operation %.40q, want %s", a.Operation, want)
	}
	if err := p.checkChallenge(a.Challenge); err != nil {
		return err
	}
	if !slices.Contains(rp.Facets, a.Params.FacetID) {
		return refuseUAF(fault.CeremonyOrigin, "facet %.200q is not one of ours", a.Params.FacetID)
	}
	// A ceremony of the other protocol has neither appID nor transaction to compare.
	// Check refuses it for its protocol.
	if p.Protocol != UAF11 {
		return nil
	}
	return a.checkRequest(p, got)
}

// checkRequest compares the response's statements about the request with the request.
// Check itself refuses a ceremony of another kind.
func (a uafResponse) checkRequest(p *Pending, got ClientClaims) error {
	want := p.AppID
	if want == "" {
		want = a.Params.FacetID
	}
	switch {
	case a.Params.AppID != want:
		return refuseUAF(fault.CeremonyRP, "appID %.200q is not the one asked", a.Params.AppID)
	case a.AppID != "" && a.AppID != want: // the header's is optional, and not what is signed
		return refuseUAF(fault.CeremonyRP, "the header's appID %.200q is not the one asked", a.AppID)
	case got.Kind == p.Kind && !a.confirms(p):
		return refuseUAF(fault.CeremonyMismatch, "the transaction that was confirmed is not the one shown")
	}
	return nil
}

// confirms reports whether an assertion confirms the shown content: one of the forms of
// the transaction or, at a sign-in, nothing. A transaction without any form was never
// shown and cannot be confirmed.
func (a uafResponse) confirms(p *Pending) bool {
	switch {
	case p.Kind == Registration:
		return true
	case len(p.TransactionHash) == 0:
		return p.Kind == SignIn && slices.ContainsFunc(a.Confirmed, func(hash []byte) bool { return len(hash) == 0 })
	}
	for form := range slices.Chunk(p.TransactionHash, sha256.Size) {
		if slices.ContainsFunc(a.Confirmed, func(hash []byte) bool { return bytes.Equal(hash, form) }) {
			return true
		}
	}
	return false
}

func uafOperation(k Kind) uaf.Operation {
	if k == Registration {
		return uaf.OperationRegistration
	}
	return uaf.OperationAuthentication
}

// refuseUAF returns a fault for a UAF message's content, with the UAF status for that.
func refuseUAF(key fault.Key, format string, args ...any) error {
	refusal := fault.Wrap(key, fmt.Errorf(format, args...))
	refusal.UAFStatusCode = int(uaf.StatusUnacceptableContent)
	return refusal
}
