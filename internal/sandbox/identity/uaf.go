package identity

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"countersign/internal/sandbox/uafserver"
	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// DemoAAID is the model of software authenticator that the sandbox trusts by default:
// surrogate attestation, every algorithm and key format.
const DemoAAID = uaf.AAID("5B0C#0001")

//go:embed demo_metadata.json
var demoMetadata []byte

// uafEngine is the UAF 1.1 engine. Package uafserver verifies the
// messages; the engine keeps the challenges, on the platform's clock. Each is answered once, by its
// person and for its operation.
type uafEngine struct {
	now          func() time.Time
	appID        string
	facets       []string
	metadata     *uafserver.Metadata
	isRegistered func(key string) bool

	registrations *expiring[uafCeremony]
	signIns       *expiring[uafCeremony]
	transactions  *expiring[uafCeremony]
}

// uafCeremony is a request under way, found by its challenge.
type uafCeremony struct {
	user       string
	requestID  string // of an authentication request
	challenge  []byte
	serverData string // random
	policy     uaf.Policy
	shown      []uaf.Transaction
}

// newUAF returns nil without an appID and facets.
func newUAF(o Options, isRegistered func(key string) bool) (*uafEngine, error) {
	metadata, err := TrustedModels(o.Metadata)
	if err != nil {
		return nil, fmt.Errorf("sandbox: UAF server: %w", err)
	}
	if (o.UAFAppID == "") != (len(o.UAFFacets) == 0) {
		return nil, errors.New("sandbox: UAF server: an appID and facets go together")
	}
	if utf8.RuneCountInString(o.UAFAppID) > 512 {
		return nil, errors.New("sandbox: UAF server: the appID has more than 512 characters")
	}
	if o.UAFAppID == "" {
		return nil, nil
	}
	return &uafEngine{
		now: o.Now, appID: o.UAFAppID, facets: o.UAFFacets, metadata: metadata, isRegistered: isRegistered,
		registrations: newExpiring[uafCeremony](ceremonyTimeout),
		signIns:       newExpiring[uafCeremony](ceremonyTimeout),
		transactions:  newExpiring[uafCeremony](ceremonyTimeout),
	}, nil
}

// TrustedModels returns the models of the document, which may be empty, and the demo
// authenticator. A statement of the document for DemoAAID replaces the built-in one.
func TrustedModels(document []byte) (*uafserver.Metadata, error) {
	if len(document) == 0 {
		return uafserver.ParseMetadata(demoMetadata)
	}
	given, err := uafserver.ParseMetadata(document)
	if err != nil {
		return nil, err
	}
	if _, ok := given.Lookup(DemoAAID); ok {
		return given, nil
	}
	return uafserver.ParseMetadata(document, demoMetadata)
}

func (f *uafEngine) reset() {
	f.registrations.clear()
	f.signIns.clear()
	f.transactions.clear()
}

// begin makes a challenge and serverData for c, and keeps them.
func (f *uafEngine) begin(in *expiring[uafCeremony], operation uaf.Operation, c uafCeremony) (header uaf.Header, challenge string) {
	c.challenge, c.serverData = make([]byte, 32), rand.Text()
	_, _ = rand.Read(c.challenge) // never fails
	challenge = encode(c.challenge)
	in.add(challenge, c, f.now())
	return uaf.NewHeader(operation, f.appID, c.serverData), challenge
}

// spend takes the ceremony that a response answers, but not another person's.
func (f *uafEngine) spend(from *expiring[uafCeremony], a account, r *uaf.Response) (uafCeremony, error) {
	challenge, err := r.Params.ChallengeBytes()
	if err != nil {
		return uafCeremony{}, err
	}
	c, ok := from.take(encode(challenge), f.now(), func(c uafCeremony) bool { return c.user == a.ID })
	if !ok {
		return uafCeremony{}, &uaf.Error{
			Status: uaf.StatusRequestInvalid, Reason: "the challenge is unknown, expired, spent or another person's",
		}
	}
	return c, nil
}

func (f *uafEngine) expectation(c uafCeremony) uafserver.Expectation {
	return uafserver.Expectation{
		AppID: f.appID, TrustedFacets: f.facets, Challenge: c.challenge, ServerData: c.serverData, Policy: c.policy, Metadata: f.metadata,
	}
}

func (f *uafEngine) stale(cause error) error {
	if _, ok := errors.AsType[*uaf.Error](cause); !ok { // it was deregistered
		cause = &uaf.Error{Status: uaf.StatusUnknownKeyID, Reason: "the key is no longer registered", Cause: cause}
	}
	return refuseUAF("", cause)
}

// refuseUAF returns a 400 that names field for a text that is not a UAF message, and a
// 409 with the status in words for a refused message.
func refuseUAF(field string, err error) error {
	if err == nil {
		return nil
	}
	status := uaf.StatusOf(err)
	var refusal *wire.Error
	switch status {
	case uaf.StatusInternalError:
		return err
	case uaf.StatusBadRequest:
		refusal = wire.Invalid(wire.Violation{Field: field, Message: "is not a UAF message"})
	default:
		refusal = wire.Conflict("UAF 1.1: " + status.String())
	}
	return withStatus(refusal, status).Because(err)
}

// uafKeys returns the person's keys.
func uafKeys(a account) []uaf.KeyReference {
	var keys []uaf.KeyReference
	for _, r := range a.ofProtocol(uaf11) {
		keys = append(keys, r.uaf.Key())
	}
	return keys
}

// uafKey returns the registration's key.
func uafKey(k uaf.KeyReference) string {
	return uaf11 + ":" + string(k.AAID.Canonical()) + ":" + encode(k.KeyID)
}
