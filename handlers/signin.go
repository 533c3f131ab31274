package handlers

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
	"countersign/session"
)

// SignIn signs people in: by password, one-time password, FIDO response or
// push. Every refusal is one answer, sign-in.refused, so that nobody learns
// which accounts exist or what state they are in.
type SignIn struct {
	Identity     *identity.Client
	Sessions     *session.Store
	Device       DeviceCookies
	RelyingParty ceremony.RelyingParty
	Decoys       Decoys
	Limits       request.Limits
	// PushTTL is how long a person has to decide on their device.
	PushTTL time.Duration
	Now     func() time.Time
}

// Login answers POST /users/{user}/login: 200 and a new session, or 202 and a
// requestID to poll GET /sessions/{requestID} with.
func (h SignIn) Login(c *gin.Context) error {
	body, err := request.JSON(c)
	if err != nil {
		return err
	}
	a, err := loginPayload(request.From(c).User, body)
	if err != nil {
		return err
	}
	result, err := h.try(c, a)
	if err != nil {
		return a.refused(err)
	}
	return h.answer(c, result)
}

// Status answers GET /sessions/{requestID} to the session that started the
// sign-in, and to that alone. When the person has accepted, the session begins:
// for exactly one of those who ask.
func (h SignIn) Status(c *gin.Context) error {
	s := request.From(c).Session
	ctx, pending := c.Request.Context(), &pendingPush{RequestID: c.Param("requestID")}
	if err := h.Sessions.Peek(ctx, s, pending); err != nil {
		return err
	}
	status, err := h.statusOf(c, pending)
	if err != nil {
		return err
	}
	if status == identity.StatusPending || c.Request.Method == http.MethodHead {
		return request.Answer(c, http.StatusOK, statusBody{SessionStatus: status})
	}
	if err := h.Sessions.Spend(ctx, s, pending); err != nil {
		return err
	}
	if status != identity.StatusAccepted || pending.Kind == ceremony.Transaction {
		return request.Answer(c, http.StatusOK, statusBody{SessionStatus: status})
	}
	begun, err := h.begin(c, pending.User, methodPush)
	if err != nil {
		return err
	}
	h.Limits.ResetAttempts(c, pending.User)
	return h.answer(c, outcome{status: status, session: begun})
}

// statusOf asks the platform. It is asked about decoys too, so that they take
// as long; they stay pending until their time is over.
func (h SignIn) statusOf(c *gin.Context, pending *pendingPush) (identity.SessionStatus, error) {
	status, err := h.Identity.SessionStatus(c.Request.Context(), pending.RequestID)
	switch {
	case err == nil, fault.Is(err, fault.SignInUnknown):
	case fault.Is(err, fault.PlatformRefused) && pending.Kind != ceremony.Transaction && request.AudienceFor(c, pending.User) == fault.Anonymous:
		// Whoever asks about a sign-in has not signed in: what the platform holds
		// against this one or that one would tell them apart. The log has it.
		if !pending.Decoy {
			request.LogCause(c, err)
		}
	default:
		return "", err
	}
	if pending.Decoy || err != nil {
		status = identity.StatusPending
	}
	if status == identity.StatusPending && !h.Now().Before(pending.Expiry.Add(-PendingSlack)) {
		status = identity.StatusTimeout
	}
	return status, nil
}

// outcome is what came of an attempt.
type outcome struct {
	status  identity.SessionStatus
	session *session.Session
	// members is what the platform's answer may show, JSON member by member.
	members map[string]any
}

// statusBody is the answer of a poll.
type statusBody struct {
	SessionStatus identity.SessionStatus `json:"sessionStatus"`
	SessionToken  string                 `json:"sessionToken,omitempty"`
}

// try carries an attempt through: limits, ceremony, platform, session.
func (h SignIn) try(c *gin.Context, a attempt) (outcome, error) {
	request.From(c).User = a.user // whom an error concerns
	if err := h.Limits.TakeSignInAddress(c); err != nil {
		return outcome{}, err
	}
	if err := h.Limits.TakeAttempt(c, a.user); err != nil {
		return outcome{}, err
	}
	pending, err := h.finish(c, &a)
	if err != nil {
		return outcome{}, err
	}
	name, likeness, err := h.likenessOfPush(c, a)
	if err != nil {
		return outcome{}, err
	}
	a.input.ClientIP = request.From(c).Address
	out, err := h.Identity.Login(c.Request.Context(), a.user, a.input)
	switch {
	case fault.Is(err, fault.SignInRefused) && a.pushOnly() && request.Audience(c) == fault.Anonymous:
		return h.decoyPush(c, a, likeness, err)
	case fault.Is(err, fault.SignInRefused):
		return outcome{}, err
	case err != nil:
		h.Limits.ResetAttempts(c, a.user)
		return outcome{}, err
	}
	switch {
	case pending.Decoy:
	case out.SessionStatus == identity.StatusAccepted:
		begun, err := h.begin(c, a.user, a.method)
		if err != nil {
			return outcome{}, err
		}
		h.Limits.ResetAttempts(c, a.user)
		return outcome{status: out.SessionStatus, session: begun, members: out.Public()}, nil
	case out.SessionStatus == identity.StatusPending && out.RequestID != "":
		if err := h.learnPush(c, name, likeness, out.Public()); err != nil {
			return outcome{}, err
		}
		return h.wait(c, a, out.RequestID, false, out.Public())
	}
	return outcome{}, fault.Wrap(fault.SignInRefused, errors.New("platform: session status "+string(out.SessionStatus)))
}

// finish spends the ceremony of a FIDO attempt and completes its input with the
// requestID that the session knows.
func (h SignIn) finish(c *gin.Context, a *attempt) (*ceremony.Pending, error) {
	if a.response == nil {
		return &ceremony.Pending{}, nil
	}
	pending := a.response.Pending()
	if err := h.Sessions.Spend(c.Request.Context(), request.From(c).Session, pending); err != nil {
		return nil, err
	}
	if err := h.RelyingParty.Check(pending, ceremony.Presented{
		Kind: ceremony.SignIn, Protocol: a.protocol, User: a.user, RequestID: a.input.RequestID,
	}, a.response); err != nil {
		return nil, err
	}
	a.input.RequestID = pending.RequestID
	return pending, nil
}

// profileWithin is how long who is signing in waits to be called by name.
const profileWithin = 2 * time.Second

// begin begins the session of a person who has proved who they are. What they
// are called is read from the platform; a failure of that call alone keeps
// nobody out.
func (h SignIn) begin(c *gin.Context, user, method string) (*session.Session, error) {
	person := session.User{ID: user, ProfileMissing: true}
	ctx, cancel := context.WithTimeout(c.Request.Context(), profileWithin)
	defer cancel()
	if profile, err := h.Identity.User(ctx, user); err == nil {
		person = session.User{ID: user, DisplayName: profile.DisplayName, Email: profile.EmailAddress}
	}
	begun, err := h.Sessions.SignIn(c.Request.Context(), session.SignIn{
		Old: request.From(c).Session, User: person, Method: method, Client: request.Client(c), Bearer: request.WantsToken(c),
	})
	if err != nil {
		return nil, err
	}
	h.Device.DropEnteredUser(c.Writer, c.Request)
	request.From(c).Session = begun
	request.From(c).Person = user
	return begun, nil
}

// wait puts a sign-in that waits for the person's device under the session, or
// under a pre-session.
func (h SignIn) wait(c *gin.Context, a attempt, requestID string, decoy bool, members map[string]any) (outcome, error) {
	s, err := ensureSession(c, h.Sessions)
	if err != nil {
		return outcome{}, err
	}
	err = h.Sessions.Begin(c.Request.Context(), s, &pendingPush{
		Kind: ceremony.SignIn, RequestID: requestID, User: a.user, Decoy: decoy, Expiry: h.Now().Add(h.PushTTL + PendingSlack),
	})
	return outcome{status: identity.StatusPending, session: s, members: members}, err
}

// answer writes an outcome: the platform's members, and the token for those who
// do not want a cookie.
func (h SignIn) answer(c *gin.Context, o outcome) error {
	body := map[string]any{"sessionStatus": o.status}
	maps.Copy(body, o.members)
	if err := request.HandOver(c, h.Sessions, o.session, body); err != nil {
		return err
	}
	if o.status == identity.StatusPending {
		return request.Answer(c, http.StatusAccepted, body)
	}
	return request.Answer(c, http.StatusOK, body)
}

// ensureSession is the request's session, or a new pre-session.
func ensureSession(c *gin.Context, sessions *session.Store) (*session.Session, error) {
	if s := request.From(c).Session; s != nil {
		return s, nil
	}
	s, err := sessions.StartPre(c.Request.Context(), request.WantsToken(c))
	if err != nil {
		return nil, err
	}
	request.From(c).Session = s
	return s, nil
}
