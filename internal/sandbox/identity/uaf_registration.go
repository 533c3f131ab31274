package identity

import (
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// maxUsername is the protocol's limit; the longest userID@domain has one character more.
const maxUsername = 128

func (f *uafEngine) generateRegistration(a account, _ registrationRequestInput) (ceremonyRequest, error) {
	policy := uafserver.RegistrationPolicy(f.metadata, uafKeys(a))
	header, challenge := f.begin(f.registrations, uaf.OperationRegistration, uafCeremony{user: a.ID, policy: policy})
	message, err := uaf.RegistrationRequest{
		Header: header, Challenge: challenge, Username: a.ID[:min(len(a.ID), maxUsername)], Policy: policy,
	}.Encode()
	return ceremonyRequest{message: message}, err
}

// verifyRegistration judges each assertion by itself, and returns the good ones.
func (f *uafEngine) verifyRegistration(a account, in registrationInput) (made []registration, err error) {
	defer func() { err = refuseUAF("registrationResponse", err) }()
	response, err := uaf.ParseRegistrationResponse(*in.RegistrationResponse)
	if err != nil {
		return nil, err
	}
	c, err := f.spend(f.registrations, a, response)
	if err != nil {
		return nil, err
	}
	good, err := uafserver.VerifyRegistration(response, &uafserver.RegistrationContext{
		Expectation: f.expectation(c),
		Registered:  func(k uaf.KeyReference) bool { return f.isRegistered(uafKey(k)) },
		Now:         f.now(),
	})
	for _, one := range good {
		made = append(made, registration{
			name:     f.nameOf(one.AAID),
			protocol: uaf11,
			aaid:     string(one.AAID),
			keyID:    encode(one.KeyID),
			key:      uafKey(one.Key()),
			uaf:      one,
		})
	}
	return made, err
}

// nameOf returns the metadata's name of the model.
func (f *uafEngine) nameOf(aaid uaf.AAID) string {
	statement, ok := f.metadata.Lookup(aaid)
	if !ok || statement.Description == "" {
		return "UAF authenticator"
	}
	description := []rune(statement.Description)
	return string(description[:min(len(description), 60)])
}
