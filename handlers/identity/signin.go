// Package identity implements registration, sign-in, sign-out, device activation and
// transactions, as JSON and pages. The flow of a sign-in is internal/signin's.
package identity

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/ceremony"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/internal/signin"
	"countersign/session"
)

// SignIn answers the calls that sign people in.
type SignIn struct {
	SignIns *signin.Service
	Device  DeviceCookies
	// Limits are the limits of ceremonies.
	Limits request.Limits
	// Proofs bind the sessions of apps to their keys.
	Proofs request.Proofs
	// Adaptive passes the members of risk analytics on.
	Adaptive bool
}

// Login answers POST /users/{user}/login: 200 and a new session, or 202 and a requestID
// to poll GET /sessions/{requestID} with.
func (h SignIn) Login(c *gin.Context) error {
	ctx, state := c.Request.Context(), request.From(c)
	if err := h.SignIns.Limits.TakeAddress(ctx, state.Address); err != nil {
		return request.Refused(c, audit.Event{Kind: audit.SignInRefused, Person: state.User}, err)
	}
	client, err := h.client(c)
	if err != nil {
		return err
	}
	attempt, err := request.Decode(c, h.loginPayload)
	if err != nil {
		return err
	}
	attempt.User = state.User
	result, err := h.SignIns.Try(ctx, client, attempt)
	if err != nil {
		return request.Refused(c, audit.Event{Kind: audit.SignInRefused, Person: attempt.User, Method: attempt.Method}, err)
	}
	return h.answer(c, result, attempt.Method)
}

// Status answers GET /sessions/{requestID}, only to the session that started the sign-in.
// Once the person has accepted, the new session begins. HEAD neither asks the platform
// nor changes anything.
func (h SignIn) Status(c *gin.Context) error {
	client, id := h.clientOf(c), c.Param("requestID")
	if c.Request.Method == http.MethodHead {
		if err := h.SignIns.Sessions.Peek(c.Request.Context(), client.Session, &signin.PendingPush{ID: id}); err != nil {
			return err
		}
		return request.Answer(c, http.StatusOK, statusBody(platform.StatusPending))
	}
	var err error
	if _, signedIn := request.Person(c); !signedIn && client.Session != nil { // it may begin a session
		if client, err = h.client(c); err != nil {
			return err
		}
	}
	result, err := h.SignIns.Poll(c.Request.Context(), client, id)
	if err != nil {
		return err
	}
	if result.Session == nil {
		auditPush(c, result)
		request.LogCause(c, result.Cause)
		return request.Answer(c, http.StatusOK, statusBody(result.Status))
	}
	return h.answer(c, result, signin.MethodPush)
}

func statusBody(status platform.SessionStatus) map[string]any {
	return map[string]any{"sessionStatus": status}
}

// Generate answers generate-fido-authentication-request, also when signed out. With
// authenticationMessage it opens a transaction, which needs a signed-in person.
func (h SignIn) Generate(c *gin.Context) error {
	if err := h.Limits.TakeCeremony(c); err != nil {
		return err
	}
	client := h.clientOf(c)
	if client.Session == nil { // a pre-session begins
		var err error
		if client, err = h.client(c); err != nil {
			return err
		}
	}
	in, err := request.Decode(c, authenticationRequestPayload)
	if err != nil {
		return err
	}
	offer, err := h.SignIns.Offer(c.Request.Context(), client, request.From(c).User, in)
	if err != nil {
		return err
	}
	request.LogCause(c, offer.Cause)
	answer := map[string]any{"authenticationRequest": offer.Request, "uafStatusCode": offer.UAFStatusCode}
	if offer.RequestID != "" {
		answer["requestID"] = offer.RequestID
	}
	request.SendSessionToken(c, h.SignIns.Sessions, offer.Session, answer)
	return request.Answer(c, http.StatusOK, answer)
}

// answer writes the result of a sign-in by method: the platform's members, and the token
// for clients that do not use cookies.
func (h SignIn) answer(c *gin.Context, result signin.Result, method string) error {
	answer, status := statusBody(result.Status), http.StatusAccepted
	maps.Copy(answer, result.Members)
	if result.Status == platform.StatusAccepted {
		h.signedIn(c, result.Session, method)
		status = http.StatusOK
	}
	request.LogCause(c, result.Cause)
	request.SendSessionToken(c, h.SignIns.Sessions, result.Session, answer)
	return request.Answer(c, status, answer)
}

// signedIn makes begun, a session signed in by method, the session of the request.
func (h SignIn) signedIn(c *gin.Context, begun *session.Session, method string) {
	h.Device.dropEnteredUser(c.Writer, c.Request)
	before, _ := request.Person(c)
	request.From(c).Session = begun
	person, _ := begun.User()
	request.From(c).Person = person.ID
	h.Device.proveUser(c.Writer, c.Request, person.ID)
	kind := audit.SignedIn
	if before.ID == person.ID {
		kind = audit.SteppedUp
	}
	request.Audit(c, audit.Event{Kind: kind, Method: method})
}

// auditPush records the outcome of a push that begins no session.
func auditPush(c *gin.Context, result signin.Result) {
	push := result.Push
	if push == nil {
		return
	}
	e := audit.Event{Kind: audit.SignInRefused, Person: push.User, Method: signin.MethodPush, Reason: string(cmp.Or(result.Ended, result.Status))}
	switch {
	case push.Kind == ceremony.SignIn:
	case result.Status == platform.StatusAccepted:
		e.Kind, e.Reason = audit.TransactionConfirmed, ""
	default:
		e.Kind = audit.TransactionRefused
	}
	request.Audit(c, e)
}

// client returns the client whose session begins with the request, and the key that it is
// bound to.
func (h SignIn) client(c *gin.Context) (signin.Client, error) {
	client := h.clientOf(c)
	var err error
	client.Key, err = h.Proofs.Key(c.Request, client.Session)
	return client, err
}

// clientOf returns the client that asks to sign in.
func (h SignIn) clientOf(c *gin.Context) signin.Client {
	state := request.From(c)
	return signin.Client{
		Client:  session.Client{UserAgent: c.Request.UserAgent(), Address: state.Address},
		Session: state.Session, Bearer: request.WantsToken(c.Request, state.Session),
		RevealAccountState: state.RevealAccountState, KnownTo: h.Device.provenUser(c.Request),
	}
}
