package app

import (
	"countersign/handlers"
	"countersign/internal/signing"
	"countersign/signingproxy"
)

// signingProxy puts the signing API together; nil where it is not in use.
func (a *App) signingProxy(profiles handlers.Profiles) (*signingproxy.Proxy, error) {
	if a.signing == nil {
		return nil, nil
	}
	client := signing.New(a.signing)
	index, err := a.index(client)
	if err != nil {
		return nil, err
	}
	return signingproxy.New(signingproxy.Options{
		Upstream:        a.signing,
		Signing:         client,
		Access:          index,
		Profile:         profiles.Person,
		Operator:        a.operator,
		OperatorsCreate: a.config.Signing.OperatorsCreate(),
		TrustEmail:      a.config.TrustPlatformEmail,
		Production:      a.config.Production(),
		SiteHosts:       a.config.Signing.SiteHosts,
		MaxUpload:       int64(a.config.MaxUpload),
	}), nil
}
