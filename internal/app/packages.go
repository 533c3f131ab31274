package app

import (
	"strings"

	"countersign/handlers"
	"countersign/internal/config"
	"countersign/internal/signing"
	"countersign/signingproxy"
)

// packagePages puts the pages of packages together, where signing is in use. Who asks, and
// who may what, is what it is to the proxy.
func (a *App) packagePages(all *handlers.Handlers, proxy *signingproxy.Proxy, renderer handlers.Renderer) {
	if a.packages == nil {
		return
	}
	all.Packages = handlers.Packages{
		Platform: signing.New(a.signing), Access: a.packages, Person: proxy.Person,
		OperatorsCreate: a.config.Signing.OperatorsCreate(), Production: a.config.Production(), Sites: a.signingSites(),
	}
	all.HomePage.Packages = all.Packages
	all.PackagesPage = handlers.PackagesPage{Renderer: renderer, Packages: all.Packages}
}

// signingSites are the hosts of the platform's signing pages.
func (a *App) signingSites() config.Hosts {
	return append(config.Hosts{strings.ToLower(a.signing.URL().Host)}, a.config.Signing.SiteHosts...)
}
