package signin

import (
	"context"
	"errors"

	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/uaf"
	"countersign/session"
)

// Offer is an authentication request for an authenticator.
type Offer struct {
	// Request is the JSON text of the request options (FIDO2) or of the UAF message.
	Request string
	// RequestID may be missing for UAF, to which alone UAFStatusCode belongs.
	RequestID     string
	UAFStatusCode *platform.Number
	// Session is the session in which the response counts.
	Session *session.Session
	// Cause is why this is a decoy, for the log alone; nil for a real request.
	Cause error
}

// exchange is an offer with its parsed content and its ceremony in the session.
type exchange struct {
	Offer
	request ceremony.Request
	pending ceremony.Pending
}

// Offer requests an authentication request for user from the platform and begins its
// ceremony, under a pre-session if the client has no session. Clients other than the
// account's owner get a decoy if there is no request; the owner is told why
// (platform.refused). An AuthenticationMessage makes it a transaction, which only the
// account's owner may begin (else session.required, session.forbidden).
func (s *Service) Offer(ctx context.Context, c Client, user string, in platform.AuthenticationRequestInput) (Offer, error) {
	e := exchange{pending: ceremony.Pending{Kind: ceremony.SignIn, User: user}}
	offer := s.conceal
	if c.seesState(user) {
		offer = s.disclose
	}
	if in.AuthenticationMessage != "" {
		if err := c.requireOwner(user); err != nil {
			return Offer{}, err
		}
		e.pending.Kind, offer = ceremony.Transaction, s.disclose
	}
	if err := offer(ctx, &e, in); err != nil {
		return Offer{}, err
	}
	held, err := s.ensureSession(ctx, c)
	if err != nil {
		return Offer{}, err
	}
	e.Session = held
	return e.Offer, s.Sessions.Put(ctx, held, s.RelyingParty.Begin(e.pending, e.request))
}

func (c Client) requireOwner(user string) error {
	switch person, ok := c.person(); {
	case !ok:
		return fault.New(fault.SessionRequired)
	case person.ID != user:
		return fault.New(fault.SessionForbidden)
	}
	return nil
}

// disclose offers the platform's request.
func (s *Service) disclose(ctx context.Context, e *exchange, in platform.AuthenticationRequestInput) error {
	out, err := s.Identity.GenerateFIDOAuthenticationRequest(ctx, e.pending.User, in)
	if err != nil {
		return err
	}
	e.Request, e.RequestID, e.UAFStatusCode = out.AuthenticationRequest, out.RequestID, out.UAFStatusCode
	e.pending.RequestID = out.RequestID
	if err := e.read(in); err != nil {
		return err
	}
	if allowed := e.request.Allowed; allowed != nil && len(allowed) == 0 {
		refusal := fault.New(fault.PlatformRefused)
		refusal.Specific = fault.AuthenticationNoAuthenticator
		return refusal
	}
	return nil
}

// conceal offers the platform's request or a decoy, in the same form. In both cases it
// reads the records of decoys and then asks the platform, so that both take as long.
func (s *Service) conceal(ctx context.Context, e *exchange, in platform.AuthenticationRequestInput) error {
	records, err := s.Decoys.Recall(ctx)
	if err != nil {
		return err
	}
	question := decoy.Question{Protocol: ceremony.Protocol(in.FIDOProtocol), UserVerification: in.UserVerification}
	out, err := s.Identity.GenerateFIDOAuthenticationRequest(ctx, e.pending.User, in)
	if err == nil {
		e.pending.RequestID = out.RequestID
		e.Request, err = records.Real(ctx, question, e.pending.User, out.AuthenticationRequest)
	}
	if fault.Is(err, fault.PlatformRefused) || errors.Is(err, decoy.ErrNoCredentials) {
		e.Cause, e.pending.Decoy = err, true
		e.Request, err = records.Decoy(question, e.pending.User)
	}
	if err != nil {
		return err
	}
	if err := e.read(in); err != nil {
		return err
	}
	if question.Protocol == ceremony.UAF11 {
		status := platform.Number(uaf.StatusOK)
		e.UAFStatusCode = &status
	}
	e.RequestID = s.Decoys.RequestID(e.request.Challenge)
	if e.pending.Decoy {
		e.pending.RequestID = e.RequestID
	}
	return nil
}

// read parses the offered request, put right.
func (e *exchange) read(in platform.AuthenticationRequestInput) (err error) {
	e.request, err = ceremony.FromAuthenticationRequest(ceremony.Protocol(in.FIDOProtocol), e.Request)
	if err != nil {
		return fault.Wrap(fault.PlatformFailed, err)
	}
	e.Request, e.pending.Allowed = e.request.Text, e.request.Allowed
	return nil
}
