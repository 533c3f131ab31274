package app

import (
	"context"
	"strings"

	"countersign/handlers"
	"countersign/handlers/page"
	"countersign/handlers/portal"
	"countersign/internal/config"
	"countersign/internal/signing"
	"countersign/session"
	"countersign/signingproxy"
)

// packagePages puts the pages of packages together, where signing is in use. Who asks, and
// who may what, is what it is to the proxy.
func (a *App) packagePages(all *handlers.Handlers, proxy *signingproxy.Proxy, sessions *session.Store, renderer page.Renderer) error {
	if a.packages == nil {
		return nil
	}
	revisions, err := a.revisions()
	if err != nil {
		return err
	}
	once, err := a.idempotency()
	if err != nil {
		return err
	}
	all.Packages = portal.Packages{
		Platform: a.signingClient, Access: a.packages, Person: proxy.Person,
		OperatorsCreate: a.config.Signing.OperatorsCreate(), Production: a.config.Production(), Sites: a.signingSites(),
		Revisions: revisions,
	}
	drafts, err := a.drafts(all.Packages.Platform)
	if err != nil {
		return err
	}
	limits, err := a.limits()
	if err != nil {
		return err
	}
	forms, err := a.forms()
	if err != nil {
		return err
	}
	all.Packages.Left = page.FormRecovery{Forms: forms, Limiter: limits.signIn.Limiter, Limit: limits.signIn.Address}
	all.Account.EndForms = forms.End
	all.AccountPage.Account, all.AuthenticatorsPage.Account = all.Account, all.Account
	all.HomePage.Packages = all.Packages
	all.PackagesPage = portal.PackagesPage{Renderer: renderer, Packages: all.Packages}
	all.CustomFieldsPage = portal.CustomFieldsPage{Renderer: renderer, Packages: all.Packages}
	all.PackagePage = portal.PackagePage{Renderer: renderer, Packages: all.Packages, Once: once, Hint: a.hub.Hint}
	all.PackageEvents = portal.PackageEvents{Packages: all.Packages, Streams: a.streams(sessions)}
	all.NewPackagePage = portal.NewPackagePage{
		Renderer: renderer, Packages: all.Packages, Drafts: drafts, MaxUpload: int64(a.config.MaxUpload), SpoolDir: a.config.SpoolDir,
	}
	all.RecipientPage = portal.RecipientPage{Renderer: renderer, Packages: all.Packages, Drafts: drafts}
	return nil
}

// signingChanged keeps an event of the platform's, and has whoever watches its package hear
// of it now.
func (a *App) signingChanged(ctx context.Context, event []byte) error {
	if err := a.packages.Callback(ctx, event); err != nil {
		return err
	}
	if id := signing.EventPackage(event); id != "" {
		return a.hub.Hint(ctx, portal.PackageTopic(id))
	}
	return nil
}

// signingSites are the hosts of the platform's signing pages.
func (a *App) signingSites() config.Hosts {
	return append(config.Hosts{strings.ToLower(a.signing.URL().Host)}, a.config.Signing.SiteHosts...)
}
