package ceremony

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// The operations of UAF 1.1 that have a response.
const (
	uafReg  = "Reg"
	uafAuth = "Auth"
)

// The status codes that we give ourselves (FIDO UAF status codes).
const (
	uafBadRequest          = 1400
	uafRequestInvalid      = 1491
	uafUnacceptableContent = 1498
)

// The limits of the UAF protocol, in characters and bytes.
const (
	maxUAFAppID      = 512
	maxUAFServerData = 1536
	maxUAFAssertion  = 4096
)

// uafVersion is a protocol version; each dictionary of a message has its own.
type uafVersion struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

var uaf11 = uafVersion{Major: 1, Minor: 1}

type uafHeader struct {
	Version    *uafVersion `json:"upv"`
	Operation  string      `json:"op"`
	AppID      string      `json:"appID"`
	ServerData string      `json:"serverData"`
}

type uafRequest struct {
	Header      uafHeader `json:"header"`
	Challenge   string    `json:"challenge"`
	Transaction []struct {
		Content string `json:"content"`
	} `json:"transaction"`
}

type uafResponse struct {
	Header     uafHeader `json:"header"`
	FCParams   base64url `json:"fcParams"`
	Assertions []struct {
		Scheme    string    `json:"assertionScheme"`
		Assertion base64url `json:"assertion"`
	} `json:"assertions"`
}

// finalChallenge is what fcParams hold.
type finalChallenge struct {
	AppID          *string        `json:"appID"`
	Challenge      base64url      `json:"challenge"`
	FacetID        *string        `json:"facetID"`
	ChannelBinding jsontext.Value `json:"channelBinding"`
}

// uafAnswer is the part of a UAF response that Check looks at.
type uafAnswer struct {
	header uafHeader
	final  finalChallenge
}

func readUAFRequest(text, operation string) (Request, error) {
	r, err := pickUAF11[uafRequest]([]byte(text))
	if err != nil {
		return Request{}, fmt.Errorf("UAF request: %w", err)
	}
	if r.Header.Operation != operation {
		return Request{}, fmt.Errorf("UAF request: operation %.40q, want %s", r.Header.Operation, operation)
	}
	challenge, err := decodeOurs(r.Challenge)
	if err != nil {
		return Request{}, fmt.Errorf("UAF request: challenge: %w", err)
	}
	var hashes []byte
	for _, t := range r.Transaction {
		content, err := decodeOurs(t.Content)
		if err != nil {
			return Request{}, fmt.Errorf("UAF request: transaction content: %w", err)
		}
		hash := sha256.Sum256(content)
		hashes = append(hashes, hash[:]...)
	}
	return Request{
		Protocol: UAF11, Challenge: challenge, AppID: r.Header.AppID, TransactionHash: hashes, AllowCredentials: -1,
	}, nil
}

func readUAFResponse(text []byte) (*Response, error) {
	r, err := pickUAF11[uafResponse](text)
	if err != nil {
		return nil, fmt.Errorf("UAF response: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("UAF response: %w", err)
	}
	var final finalChallenge
	if err := json.Unmarshal(r.FCParams, &final); err != nil {
		return nil, fmt.Errorf("UAF response: fcParams: %w", err)
	}
	bound := len(final.ChannelBinding) != 0 && final.ChannelBinding.Kind() == '{'
	if final.AppID == nil || final.Challenge == nil || final.FacetID == nil || !bound {
		return nil, errors.New("UAF response: fcParams lack a member or its type")
	}
	return &Response{Protocol: UAF11, Challenge: final.Challenge, answer: uafAnswer{r.Header, final}}, nil
}

func (r uafResponse) check() error {
	switch {
	case r.Header.Operation == "":
		return errors.New("no operation")
	case len(r.Header.AppID) > maxUAFAppID || len(r.Header.ServerData) > maxUAFServerData:
		return errors.New("a header too long")
	case r.FCParams == nil:
		return errors.New("no fcParams")
	case len(r.Assertions) == 0:
		return errors.New("no assertions")
	}
	for _, a := range r.Assertions {
		if a.Scheme == "" || a.Assertion == nil || len(a.Assertion) > maxUAFAssertion {
			return errors.New("an assertion without scheme or content, or too long")
		}
	}
	return nil
}

// pickUAF11 returns the dictionary of version 1.1 out of a message, which may
// hold one of each version.
func pickUAF11[D any](text []byte) (picked D, err error) {
	var dictionaries []jsontext.Value
	if err := json.Unmarshal(text, &dictionaries); err != nil {
		return picked, err
	}
	seen := map[uafVersion]jsontext.Value{}
	for _, raw := range dictionaries {
		var d struct {
			Header uafHeader `json:"header"`
		}
		if err := json.Unmarshal(raw, &d); err != nil {
			return picked, err
		}
		if d.Header.Version == nil {
			return picked, errors.New("a dictionary without a version")
		}
		if _, twice := seen[*d.Header.Version]; twice {
			return picked, errors.New("two dictionaries of one version")
		}
		seen[*d.Header.Version] = raw
	}
	if seen[uaf11] == nil {
		return picked, errors.New("no dictionary of version 1.1")
	}
	return picked, json.Unmarshal(seen[uaf11], &picked)
}

// check goes from the operation to the appID, in the order of Check.
func (a uafAnswer) check(exp Expected, got Presented, trust Trust) error {
	if want := uafOperation(got.Kind); a.header.Operation != want {
		return refuse(fault.CeremonyType, "operation %.40q, want %s", a.header.Operation, want)
	}
	if err := checkChallenge(exp, a.final.Challenge); err != nil {
		return err
	}
	if !slices.Contains(trust.Facets, *a.final.FacetID) {
		return refuse(fault.CeremonyOrigin, "facet %.200q is not one of ours", *a.final.FacetID)
	}
	// A ceremony of the other protocol has no appID to compare with, and is
	// refused as that right after.
	if exp.Protocol != UAF11 {
		return nil
	}
	want := exp.AppID
	if want == "" {
		want = *a.final.FacetID
	}
	if *a.final.AppID != want || (a.header.AppID != "" && a.header.AppID != want) {
		return refuse(fault.CeremonyOrigin, "appID %.200q is not the one asked", *a.final.AppID)
	}
	return nil
}

func uafOperation(k Kind) string {
	if k == Registration {
		return uafReg
	}
	return uafAuth
}

func uafStatus(key fault.Key) int {
	if key == fault.CeremonyOrigin {
		return uafUnacceptableContent
	}
	return uafRequestInvalid
}
