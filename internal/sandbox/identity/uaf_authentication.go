package identity

import (
	"slices"

	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

func (f *uafServer) generateAuthentication(p account, in authenticationRequestInput) (ceremonyRequest, error) {
	keys := uafKeys(p)
	if len(keys) == 0 {
		return ceremonyRequest{}, withStatus(wire.Conflict(noAuthenticators), uaf.StatusNotFound)
	}
	c := uafCeremony{user: p.ID, policy: uaf.AuthenticationPolicy(keys)}
	kept := f.signIns
	if in.AuthenticationMessage != nil {
		shown, err := uaf.NewTextTransaction(*in.AuthenticationMessage)
		if err != nil {
			return ceremonyRequest{}, err
		}
		c.shown, kept = []uaf.Transaction{shown}, f.transactions
	}
	header, challenge, err := f.begin(kept, uaf.OperationAuthentication, c)
	if err != nil {
		return ceremonyRequest{}, err
	}
	message, err := uaf.AuthenticationRequest{
		Header: header, Challenge: challenge, Transactions: c.shown, Policy: c.policy,
	}.Encode()
	return ceremonyRequest{message: message}, err
}

func (f *uafServer) verifyAuthentication(p account, in signed) ([]proof, error) {
	good, err := f.judgeAuthentication(p, in)
	if err != nil {
		return nil, refuseUAF(in.field, err)
	}
	var proofs []proof
	for _, one := range good {
		i := slices.IndexFunc(p.registrations, func(r registration) bool { return r.key == uafKey(one.Registration.Key()) })
		proofs = append(proofs, proof{registrationID: p.registrations[i].id, commit: func(r *registration) error {
			// Judged by the counter as it is now: a second sign-in may have moved
			// it since this one was verified.
			if err := r.uaf.CheckCounter(one.SignCounter); err != nil {
				return err
			}
			r.uaf.SignCounter, r.uaf.AuthenticatorVersion = one.SignCounter, one.AuthenticatorVersion
			return nil
		}})
	}
	return proofs, nil
}

func (f *uafServer) judgeAuthentication(p account, in signed) ([]uaf.Authentication, error) {
	response, err := uaf.ParseAuthenticationResponse(in.response)
	if err != nil {
		return nil, err
	}
	from := f.signIns
	if in.transaction {
		from = f.transactions
	}
	c, err := f.spend(from, p, response)
	if err != nil {
		return nil, err
	}
	return uaf.VerifyAuthenticationResponse(response, &uaf.AuthenticationContext{
		Expectation: f.expectation(c), Find: p.uafRegistration, Transactions: c.shown,
	})
}

// uafRegistration finds the person's key; one that was deregistered since the
// request was made is not found.
func (p account) uafRegistration(k uaf.KeyReference) (uaf.Registration, bool) {
	i := slices.IndexFunc(p.registrations, func(r registration) bool { return r.key == uafKey(k) })
	if i < 0 {
		return uaf.Registration{}, false
	}
	return p.registrations[i].uaf, true
}
