package handlers

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
	"countersign/session"
)

// Decoys makes authentication requests for accounts that cannot sign in with an
// authenticator, in the shape of the platform's last real one, so that nobody
// can list accounts by asking.
type Decoys struct {
	Sessions *session.Store
	// Key makes the credential ids; it stays the same for as long as people use
	// the service, or an id that changes would give the decoy away.
	Key []byte
	// RPID and AppID are the relying party of a decoy, of FIDO2 and of UAF, until
	// a real request was seen.
	RPID, AppID string
}

// Generate answers generate-fido-authentication-request, signed out too. With
// authenticationMessage it opens a transaction, which needs a signed-in person.
func (h SignIn) Generate(c *gin.Context) error {
	body, err := request.JSON(c)
	if err != nil {
		return err
	}
	in, err := authenticationRequestPayload(body)
	if err != nil {
		return err
	}
	kind := ceremony.SignIn
	if in.AuthenticationMessage != "" {
		kind = ceremony.Transaction
		if err := ownTransaction(c); err != nil {
			return err
		}
	}
	if err := h.Limits.TakeCeremony(c); err != nil {
		return err
	}
	out, asked, decoy, err := h.request(c, in)
	if err != nil {
		return err
	}
	s, err := ensureSession(c, h.Sessions)
	if err != nil {
		return err
	}
	pending := h.RelyingParty.Begin(ceremony.Pending{Kind: kind, User: request.From(c).User, RequestID: out.RequestID, Decoy: decoy}, asked)
	if err := h.Sessions.Begin(c.Request.Context(), s, pending); err != nil {
		return err
	}
	return h.offer(c, s, out)
}

// ownTransaction lets a person confirm their own transactions alone.
func ownTransaction(c *gin.Context) error {
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	if person.ID != request.From(c).User {
		return fault.New(fault.SessionForbidden)
	}
	return nil
}

// request is the platform's authentication request, or a decoy where it has
// none for this account, and what either holds.
func (h SignIn) request(c *gin.Context, in identity.AuthenticationRequestInput) (out identity.AuthenticationRequestOutput, asked ceremony.Request, decoy bool, err error) {
	if in.AuthenticationMessage != "" { // of one's own account, which is no secret
		out, asked, err = h.real(c, in)
		return out, asked, false, err
	}
	// Before anybody knows whether it will be needed, so that it takes no time
	// that would tell.
	known, err := h.Decoys.recall(c, in)
	if err != nil {
		return out, asked, false, err
	}
	out, asked, err = h.real(c, in)
	switch {
	case err == nil && asked.AllowCredentials != 0:
		err = h.Decoys.learn(c, known, out)
		if !errors.Is(err, ceremony.ErrNoCredentials) {
			return out, asked, false, err
		}
	case err != nil && !fault.Is(err, fault.PlatformRefused):
		return out, asked, false, err
	case err != nil && request.Audience(c) != fault.Anonymous:
		return out, asked, false, err
	case err != nil:
		request.LogCause(c, err) // why there is a decoy is for the log alone
	}
	if out, err = h.Decoys.make(c, known); err != nil {
		return out, asked, true, err
	}
	asked, err = ceremony.FromAuthenticationRequest(known.protocol, out.AuthenticationRequest)
	return out, asked, true, err
}

// real is what the platform answers.
func (h SignIn) real(c *gin.Context, in identity.AuthenticationRequestInput) (identity.AuthenticationRequestOutput, ceremony.Request, error) {
	out, err := h.Identity.GenerateFIDOAuthenticationRequest(c.Request.Context(), request.From(c).User, in)
	if err != nil {
		return out, ceremony.Request{}, err
	}
	asked, err := ceremony.FromAuthenticationRequest(ceremony.Protocol(in.FIDOProtocol), out.AuthenticationRequest)
	if err != nil {
		return out, asked, fault.Wrap(fault.PlatformFailed, err)
	}
	return out, asked, nil
}

// offer answers with the asked, and with the token of the pre-session it
// belongs to where the client wants that.
func (h SignIn) offer(c *gin.Context, s *session.Session, out identity.AuthenticationRequestOutput) error {
	body := map[string]any{"authenticationRequest": out.AuthenticationRequest, "uafStatusCode": out.UAFStatusCode}
	if out.RequestID != "" {
		body["requestID"] = out.RequestID
	}
	if err := request.HandOver(c, h.Sessions, s, body); err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, body)
}

// likeness is what decoys look like that answer one kind of question.
type likeness struct {
	protocol         ceremony.Protocol
	userVerification string
	// stored is what is remembered under name, "" for nothing; shape is that, or
	// what comes nearest.
	name, stored, shape string
}

// recall is what the platform's last real answer to this question looked like;
// else its answer to no particular wish, with the wish put in; else ours.
func (d Decoys) recall(c *gin.Context, in identity.AuthenticationRequestInput) (likeness, error) {
	ctx, name := c.Request.Context(), in.FIDOProtocol+":"
	known := likeness{
		protocol: ceremony.Protocol(in.FIDOProtocol), userVerification: in.UserVerification, name: name + in.UserVerification,
	}
	stored, found, err := d.Sessions.RecallShape(ctx, known.name)
	if found || err != nil {
		known.stored, known.shape = stored, stored
		return known, err
	}
	if in.UserVerification != "" {
		stored, found, err = d.Sessions.RecallShape(ctx, name)
		if err != nil {
			return known, err
		}
		if found {
			if known.shape, err = ceremony.WithUserVerification(stored, in.UserVerification); err == nil {
				return known, nil
			}
		}
	}
	known.shape, err = d.first(known)
	return known, err
}

// first is the likeness of nothing that was seen.
func (d Decoys) first(of likeness) (string, error) {
	return ceremony.DefaultShape(of.protocol, ceremony.Setting{RPID: d.RPID, AppID: d.AppID}, of.userVerification)
}

// learn remembers the shape of a real request for the decoys to come. A request
// that cannot be made free of its person's data teaches nothing; one that is for
// no credential at all is ceremony.ErrNoCredentials.
func (d Decoys) learn(c *gin.Context, known likeness, out identity.AuthenticationRequestOutput) error {
	shape, err := ceremony.Shape(known.protocol, known.stored, ceremony.Offer{
		Request: out.AuthenticationRequest, RequestID: out.RequestID, UAFStatusCode: (*int64)(out.UAFStatusCode),
	}, strings.ToLower(request.From(c).User))
	if errors.Is(err, ceremony.ErrNoCredentials) {
		return err
	}
	if err == nil && shape != known.stored {
		return d.Sessions.RememberShape(c.Request.Context(), known.name, shape)
	}
	return nil
}

// make is the request of an account that has none. What was remembered by another
// version of this program may be of no use to it.
func (d Decoys) make(c *gin.Context, known likeness) (identity.AuthenticationRequestOutput, error) {
	user := strings.ToLower(request.From(c).User)
	decoy, err := ceremony.NewDecoy(known.protocol, d.Key, known.shape, user)
	if err != nil {
		if known.shape, err = d.first(known); err == nil {
			decoy, err = ceremony.NewDecoy(known.protocol, d.Key, known.shape, user)
		}
	}
	return identity.AuthenticationRequestOutput{
		AuthenticationRequest: decoy.Request, RequestID: decoy.RequestID, UAFStatusCode: (*identity.Number)(decoy.UAFStatusCode),
	}, err
}
