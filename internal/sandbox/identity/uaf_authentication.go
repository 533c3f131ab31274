package identity

import (
	"slices"

	"github.com/google/uuid"

	"countersign/internal/sandbox/uafserver"
	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

func (f *uafEngine) generateAuthentication(a account, in authenticationRequestInput) (ceremonyRequest, error) {
	keys := uafKeys(a)
	if len(keys) == 0 {
		return ceremonyRequest{}, withStatus(wire.Conflict(noAuthenticators), uaf.StatusNotFound)
	}
	c := uafCeremony{user: a.ID, requestID: uuid.NewString(), policy: uaf.AuthenticationPolicy(keys)}
	kept := f.signIns
	if in.AuthenticationMessage != nil {
		shown, err := uaf.NewTextTransaction(*in.AuthenticationMessage)
		if err != nil {
			return ceremonyRequest{}, err
		}
		c.shown, kept = []uaf.Transaction{shown}, f.transactions
	}
	header, challenge := f.begin(kept, uaf.OperationAuthentication, c)
	message, err := uaf.AuthenticationRequest{
		Header: header, Challenge: challenge, Transactions: c.shown, Policy: c.policy,
	}.Encode()
	return ceremonyRequest{message: message, requestID: &c.requestID}, err
}

func (f *uafEngine) verifyAuthentication(a account, in assertionInput) (assertions []assertion, err error) {
	defer func() { err = refuseUAF(in.field, err) }()
	good, err := f.judgeAuthentication(a, in)
	for _, one := range good {
		i := slices.IndexFunc(a.registrations, func(r registration) bool { return r.key == uafKey(one.Key()) })
		assertions = append(assertions, assertion{registrationID: a.registrations[i].id, commit: func(r *registration) error {
			// A second sign-in may have moved the counter since this one was verified.
			if err := r.uaf.CheckCounter(one.SignCounter); err != nil {
				return err
			}
			r.uaf.SignCounter, r.uaf.AuthenticatorVersion = one.SignCounter, one.AuthenticatorVersion
			return nil
		}})
	}
	return assertions, err
}

func (f *uafEngine) judgeAuthentication(a account, in assertionInput) ([]uafserver.Registration, error) {
	response, err := uaf.ParseAuthenticationResponse(in.response)
	if err != nil {
		return nil, err
	}
	from := f.signIns
	if in.transaction {
		from = f.transactions
	}
	c, err := f.spend(from, a, response)
	if err != nil {
		return nil, err
	}
	if in.requestID != "" && in.requestID != c.requestID {
		return nil, &uaf.Error{Status: uaf.StatusRequestInvalid, Reason: "the requestID is another request's"}
	}
	return uafserver.VerifyAuthentication(response, &uafserver.AuthenticationContext{
		Expectation: f.expectation(c), Find: a.uafRegistration, Transactions: c.shown,
	})
}

// uafRegistration returns the person's key, or false if it has been deregistered.
func (a account) uafRegistration(k uaf.KeyReference) (uafserver.Registration, bool) {
	i := slices.IndexFunc(a.registrations, func(r registration) bool { return r.key == uafKey(k) })
	if i < 0 {
		return uafserver.Registration{}, false
	}
	return a.registrations[i].uaf, true
}
