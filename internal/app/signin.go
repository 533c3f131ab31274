package app

import (
	"countersign/internal/decoy"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	sandboxidentity "countersign/internal/sandbox/identity"
	"countersign/internal/signin"
	"countersign/internal/uaf"
)

// signIns completes s with decoys and the settings.
func (a *App) signIns(s signin.Service) (*signin.Service, error) {
	models, err := a.uafModels()
	if err != nil {
		return nil, err
	}
	s.Decoys = decoy.New(decoy.Options{
		Redis: a.redis.Client, Key: a.config.DecoyKey, RPID: s.RelyingParty.ID, AppID: a.config.UAFAppID(), Models: models,
	})
	s.Now = a.now
	s.PushProtection = a.config.PushProtection
	s.RevealPasswordExpired = a.config.RevealPasswordExpired
	return &s, nil
}

// uafModels returns the UAF authenticators that decoys may name: those of the settings
// and, in development, those that the sandbox trusts.
func (a *App) uafModels() ([]uaf.AAID, error) {
	var models []uaf.AAID
	for _, aaid := range a.config.UAFModels {
		models = append(models, uaf.AAID(aaid))
	}
	if a.sandbox == nil {
		return models, nil
	}
	metadata, err := sandboxidentity.TrustedModels(a.config.Sandbox.UAFMetadata)
	if err != nil {
		return nil, err
	}
	for _, statement := range metadata.Statements {
		models = append(models, statement.AAID)
	}
	return models, nil
}

// accountTries is the ratio of failed sign-ins that an account takes from everywhere to
// those from one address, so that an attacker does not lock the owner out at once.
const accountTries = 10

// limits holds the rate limits of ceremonies and of signing in.
type limits struct {
	ceremony request.Limits
	signIn   signin.Limits
}

// openLimits reads the rate limits from the settings.
func (a *App) openLimits() error {
	limiter := a.stores.limiter
	l := limits{ceremony: request.Limits{Limiter: limiter}, signIn: signin.Limits{Limiter: limiter, PushTTL: a.config.RemoteTransactionTimeout}}
	for _, limit := range []struct {
		to   *ratelimit.Limit
		text string
	}{
		{&l.signIn.Attempt, a.config.Rates.SignIn},
		{&l.signIn.Address, a.config.Rates.SignInAddress},
		{&l.signIn.Push, a.config.Rates.Push},
		{&l.ceremony.Ceremony, a.config.Rates.Ceremony},
		{&l.ceremony.CeremonyAddress, a.config.Rates.CeremonyAddress},
	} {
		parsed, err := ratelimit.Parse(limit.text)
		if err != nil {
			return err
		}
		*limit.to = parsed
	}
	l.signIn.AttemptAccount = l.signIn.Attempt.Times(accountTries)
	a.limits = l
	return nil
}
