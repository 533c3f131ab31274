package signin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/session"
)

// The methods that people sign in with.
const (
	MethodPassword = "password"
	MethodOTP      = "otp"
	MethodFIDO2    = "fido2"
	MethodUAF      = "uaf"
	MethodPush     = "push"
)

// Attempt is one try to sign in, parsed and well-formed.
type Attempt struct {
	// User is the canonical userID@domain, Method one of the constants above. An attempt
	// with a password or a one-time password is not a push, even if the platform is also
	// asked to push. The credential of a push is the client's word for it, or none.
	User, Method string
	// Input is the client's. Its LoginMessage counts only if the client is the account's
	// owner: nobody else may write on a person's phone; so does its CDDC, unless the login is
	// adaptive. Its RequestID counts only if the client's session holds it.
	Input platform.LoginInput
	// Response is the authenticator's response; nil for other methods.
	Response *ceremony.Response
}

// pushes reports whether the platform is asked to use the person's device.
func (a Attempt) pushes() bool { return len(a.Input.OrchestrationDelivery) > 0 }

// passkey returns the passkey of an attempt by one; nil for other ways.
func (a Attempt) passkey() *session.Passkey {
	if a.Response == nil || a.Method != MethodFIDO2 && a.Method != MethodUAF {
		return nil
	}
	sum := sha256.Sum256(a.Response.Challenge)
	return &session.Passkey{Protocol: string(a.Response.Protocol), AAID: a.Response.AAID, Ceremony: sum[:]}
}

// concealed reports whether a must not reveal to c whether the account exists, because a
// push needs no credential.
func (a Attempt) concealed(c Client) bool { return a.Method == MethodPush && !c.seesState(a.User) }

// Try carries an attempt through: limits, ceremony, platform, session. The client's
// address has been counted by Limits.TakeAddress. The result is accepted or pending; the
// errors are sign-in.refused for every reason that keeps the person out, request.rate,
// those of the ceremony, platform failures and outages. The latter two are not retryable
// once the ceremony is spent.
func (s *Service) Try(ctx context.Context, c Client, a Attempt) (Result, error) {
	if err := s.Limits.TakeAttempt(ctx, c.Address, a); err != nil {
		return Result{}, err
	}
	result, err := s.try(ctx, c, a)
	if a.pushes() && (err != nil || result.Status != platform.StatusPending) { // nothing waits
		s.Limits.answered(ctx, c.Address, a.User, false)
	}
	return result, err
}

func (s *Service) try(ctx context.Context, c Client, a Attempt) (Result, error) {
	var records decoy.Records
	if a.concealed(c) { // before it is known whether a decoy will be needed
		var err error
		if records, err = s.Decoys.Recall(ctx); err != nil {
			return Result{}, err
		}
	}
	if err := s.dropForeignInput(ctx, c, &a); err != nil {
		return Result{}, err
	}
	if err := s.setPushWord(&a); err != nil {
		return Result{}, err
	}
	pending, err := s.finish(ctx, c, &a)
	if err != nil {
		return Result{}, err
	}
	a.Input.ClientIP = platform.Address(c.Address)
	out, err := s.login(ctx, c, a)
	switch {
	case err != nil:
		return s.refuse(ctx, c, a, records, err)
	case pending.Decoy:
	case out.SessionStatus == platform.StatusAccepted:
		s.keepPasskeys(ctx, a, pending)
		return s.accept(ctx, c, a, out)
	case out.SessionStatus == platform.StatusPending && out.RequestID != "":
		return s.wait(ctx, c, a, records, out)
	}
	return Result{}, fault.Wrap(fault.SignInRefused, fmt.Errorf("platform: session status %s", out.SessionStatus))
}

// login lets the platform judge a, and counts a second factor that it has sent.
func (s *Service) login(ctx context.Context, c Client, a Attempt) (platform.LoginOutput, error) {
	out, err := s.Identity.Login(ctx, a.User, a.Input)
	if err == nil && out.SessionStatus == platform.StatusPending && out.RequestID != "" && !a.pushes() {
		err = s.Limits.takeSecondFactor(ctx, c.Address, a.User)
	}
	return out, err
}

// errWordAsPassword is the cause of a refusal that the platform was not asked for.
var errWordAsPassword = errors.New("the password is empty, or a word that asks the platform for a push")

// WrongPassword returns the refusal key of a password for which platform.PushWord has a word:
// the same as of any other wrong password.
func WrongPassword(key fault.Key) error {
	refusal := fault.Wrap(key, errWordAsPassword)
	refusal.Specific = fault.AuthenticationFailed
	return refusal
}

// protection orders the words of platform.PushWord by how much they ask of the person.
var protection = map[string]int{platform.PushNoPIN: 0, platform.PushPIN: 1, platform.PushFingerprint: 2, platform.PushFace: 2}

// ProtectionOf returns how the person protects their answer to a push: the client's word, unless
// least, a word too, asks for more than that.
func ProtectionOf(said, least string) string {
	if asks, known := protection[said]; known && asks >= protection[least] {
		return said
	}
	return least
}

// setPushWord gives a push its word: the client's, unless PushProtection asks for more than
// that. A password that is such a word, or empty, is wrong and never reaches the platform.
func (s *Service) setPushWord(a *Attempt) error {
	var passKey string
	if a.Input.Credentials != nil {
		passKey = a.Input.Credentials.PassKey
	}
	if a.Method == MethodPassword && passKey == "" { // it would be no credential
		return WrongPassword(fault.SignInRefused)
	}
	word, ok := platform.PushWord(passKey)
	switch {
	case a.Method == MethodPush:
		a.Input.Credentials = &platform.Credentials{PassKey: ProtectionOf(word, s.PushProtection)}
	case ok:
		return WrongPassword(fault.SignInRefused)
	}
	return nil
}

// dropForeignInput removes the members of a that the client must not decide.
func (s *Service) dropForeignInput(ctx context.Context, c Client, a *Attempt) error {
	in := &a.Input
	if !c.owns(a.User) {
		in.LoginMessage = nil
		if !in.IsAdaptive() {
			in.CDDC = nil
		}
	}
	if in.RequestID == "" || a.Response != nil { // the ceremony checks it
		return nil
	}
	held := &PendingPush{ID: in.RequestID}
	err := s.Sessions.Peek(ctx, c.Session, held)
	if err != nil && !fault.Is(err, fault.SignInUnknown) {
		return err
	}
	in.RequestID = ""
	if err == nil && held.Kind == ceremony.SignIn && held.User == a.User {
		in.RequestID = held.RequestID
	}
	return nil
}

// finish spends the ceremony of a FIDO attempt and completes its input with the session's
// requestID.
func (s *Service) finish(ctx context.Context, c Client, a *Attempt) (*ceremony.Pending, error) {
	if a.Response == nil {
		return &ceremony.Pending{}, nil
	}
	presented := ceremony.ClientClaims{
		Kind: ceremony.SignIn, Protocol: a.Response.Protocol, User: a.User, RequestID: a.Input.RequestID,
	}
	if presented.RequestID == s.Decoys.RequestID(a.Response.Challenge) {
		presented.RequestID = ""
	}
	pending, err := s.RelyingParty.Finish(ctx, a.Response, presented, s.Identity.Ready, func(ctx context.Context, p *ceremony.Pending) error {
		return s.Sessions.Consume(ctx, c.Session, p)
	})
	if err == nil {
		a.Input.RequestID = pending.RequestID
	}
	return pending, err
}

// keepPasskeys keeps which passkeys the request of a sign-in by one took, and the user handle in
// its response. Browsers are told of it as a courtesy: an outage is no reason to refuse the sign-in.
func (s *Service) keepPasskeys(ctx context.Context, a Attempt, pending *ceremony.Pending) {
	used := a.passkey()
	if s.Passkeys == nil || used == nil || a.Method != MethodFIDO2 {
		return
	}
	if len(a.Response.UserHandle) > 0 {
		_ = s.Passkeys.KeepUser(ctx, a.User, account.PasskeyUser{RPID: pending.RPID, Handle: a.Response.UserHandle})
	}
	_ = s.Passkeys.Keep(ctx, a.User, account.AcceptedPasskeys{Credentials: pending.Allowed, RPID: pending.RPID, Ceremony: used.Ceremony})
}

// accept begins the session of an attempt that the platform accepted.
func (s *Service) accept(ctx context.Context, c Client, a Attempt, out platform.LoginOutput) (Result, error) {
	begun, err := s.begin(ctx, c, a.User, a.Method, a.passkey())
	if err != nil {
		return Result{}, a.spent(err)
	}
	s.Limits.ResetAttempt(ctx, c.Address, a)
	return Result{Status: out.SessionStatus, Session: begun, Members: out.Public()}, nil
}

// refuse returns the result of an attempt that the platform did not accept. A push to an
// account that cannot sign in appears to wait like any other. An error other than a
// refusal does not count as an attempt.
func (s *Service) refuse(ctx context.Context, c Client, a Attempt, records decoy.Records, cause error) (Result, error) {
	refusal := fault.From(cause)
	switch {
	case refusal.Key != fault.SignInRefused:
		s.Limits.ResetAttempt(ctx, c.Address, a)
		return Result{}, a.spent(cause)
	case a.concealed(c):
		push := PendingPush{ID: uuid.NewString(), RequestID: uuid.NewString(), Decoy: true}
		result, err := s.await(ctx, c, a, push, pushMembers(records.DecoyPush(a.Input.OrchestrationDelivery)))
		result.Cause = cause
		return result, err
	}
	refusal.UAF = a.Method == MethodUAF
	if s.RevealPasswordExpired && a.Method == MethodPassword {
		return Result{}, TellExpired(refusal, a.Input.Credentials.PassKey)
	}
	return Result{}, refusal
}

// spent returns err; if a has a ceremony, err then says that it is spent.
func (a Attempt) spent(err error) error {
	if a.Response == nil {
		return err
	}
	return restart(err)
}

// wait returns the result of an attempt that waits for the person's device. If the
// account is concealed, it shows no more than a decoy does.
func (s *Service) wait(ctx context.Context, c Client, a Attempt, records decoy.Records, out platform.LoginOutput) (Result, error) {
	members := out.Public()
	if a.concealed(c) {
		members = pushMembers(out.RequestMessage)
		if err := records.RealPush(ctx, a.Input.OrchestrationDelivery, out.RequestMessage); err != nil {
			return Result{}, err
		}
	}
	return s.await(ctx, c, a, PendingPush{ID: pushID(out.RequestID), RequestID: out.RequestID}, members)
}

// pushMembers returns the members of an answer to a push, real or decoy.
func pushMembers(requestMessage string) map[string]any {
	if requestMessage == "" {
		return map[string]any{}
	}
	return map[string]any{"requestMessage": requestMessage}
}

// await stores push under the client's session, or under a new pre-session.
func (s *Service) await(ctx context.Context, c Client, a Attempt, push PendingPush, members map[string]any) (Result, error) {
	held, err := s.ensureSession(ctx, c)
	if err != nil {
		return Result{}, err
	}
	push.Kind, push.User, push.Address, push.SecondFactor = ceremony.SignIn, a.User, c.Address, !a.pushes()
	push.Expiry = s.Now().Add(s.Limits.PushTTL + PushSlack)
	members["requestID"] = push.ID
	return Result{Status: platform.StatusPending, Session: held, Members: members}, s.Sessions.Put(ctx, held, &push)
}

// ensureSession returns the client's session, or a new pre-session.
func (s *Service) ensureSession(ctx context.Context, c Client) (*session.Session, error) {
	if c.Session != nil {
		return c.Session, nil
	}
	return s.Sessions.StartPre(ctx, c.Bearer, c.Key)
}
