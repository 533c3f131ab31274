package handlers

import (
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/session"
)

// ceremonySlack is how much longer than the options' time-out a ceremony stays
// open: the way of the answer back to us.
const ceremonySlack = 30 * time.Second

// Ceremonies is how a FIDO exchange is begun under a session and finished
// again: the part that registration, sign-in and transactions share.
type Ceremonies struct {
	Sessions *session.Store
	// Trust is whose answers count: WebAuthn origins and UAF facets.
	Trust ceremony.Trust
	// RPID is what an absent RP ID in the options means: our host.
	RPID string
	// TTL is how long a ceremony may stay open at most.
	TTL time.Duration
	Now func() time.Time
}

// begin puts the exchange that request opens under the session.
func (f Ceremonies) begin(c *gin.Context, s *session.Session, kind ceremony.Kind, user, requestID string, request ceremony.Request, decoy bool) error {
	life := f.TTL
	if request.Timeout > 0 {
		life = min(life, request.Timeout+ceremonySlack)
	}
	rpID := request.RPID
	if rpID == "" {
		rpID = f.RPID
	}
	return f.Sessions.Begin(c.Request.Context(), s, session.Ceremony{
		Kind:            string(kind),
		Protocol:        string(request.Protocol),
		RequestID:       requestID,
		User:            user,
		Challenge:       request.Challenge,
		RPID:            rpID,
		AppID:           request.AppID,
		TransactionHash: request.TransactionHash,
		Decoy:           decoy,
		Expiry:          f.Now().Add(life),
	})
}

// finish spends the exchange that response answers, and checks that it is the
// one that presented speaks of. Spent is spent, whatever the check says.
func (f Ceremonies) finish(c *gin.Context, presented ceremony.Presented, response *ceremony.Response) (session.Ceremony, error) {
	s := request.From(c).Session
	if s == nil {
		return session.Ceremony{}, noCeremony(fault.CeremonyUnknown, response)
	}
	pending, outcome, err := f.Sessions.Spend(c.Request.Context(), s, response.Challenge)
	if err != nil {
		return session.Ceremony{}, err
	}
	switch outcome {
	case session.Spent:
		return session.Ceremony{}, noCeremony(fault.CeremonySpent, response)
	case session.Unknown:
		return session.Ceremony{}, noCeremony(fault.CeremonyUnknown, response)
	}
	return pending, ceremony.Check(expected(pending), presented, response, f.Trust)
}

// uafRequestInvalid is UAF's status for a challenge that is unknown, expired or
// used before.
const uafRequestInvalid = 1491

// noCeremony says that nothing is open for response.
func noCeremony(key fault.Key, response *ceremony.Response) error {
	f := fault.New(key)
	if response.Protocol == ceremony.UAF11 {
		f.UAFStatusCode = uafRequestInvalid
	}
	return f
}

// expected is a stored ceremony in the words of package ceremony.
func expected(p session.Ceremony) ceremony.Expected {
	return ceremony.Expected{
		Kind:            ceremony.Kind(p.Kind),
		Protocol:        ceremony.Protocol(p.Protocol),
		RequestID:       p.RequestID,
		User:            p.User,
		Challenge:       p.Challenge,
		RPID:            p.RPID,
		AppID:           p.AppID,
		TransactionHash: p.TransactionHash,
	}
}

// at names the member that a malformed response stood in.
func at(pointer string, err error) error {
	if f := fault.From(err); f.Key == fault.CeremonyMalformed && len(f.Fields) == 0 {
		f.Fields = []fault.Field{{Pointer: pointer, Detail: "field.response"}}
		return f
	}
	return err
}
