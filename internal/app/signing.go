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
	return signingproxy.New(signingproxy.Options{
		Upstream:        a.signing,
		Signing:         signing.New(a.signing),
		Access:          a.packages,
		Profile:         profiles.Person,
		Operator:        a.operator,
		OperatorsCreate: a.config.Signing.OperatorsCreate(),
		TrustEmail:      a.config.TrustPlatformEmail,
		Production:      a.config.Production(),
		SiteHosts:       a.config.Signing.SiteHosts,
		MaxUpload:       int64(a.config.MaxUpload),
	}), nil
}
