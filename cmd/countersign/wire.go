package main

import (
	"crypto/hkdf"
	"crypto/sha256"
	"net/http"
	"slices"

	"countersign/handlers"
	"countersign/internal/ceremony"
	"countersign/internal/config"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/internal/uaf"
	"countersign/session"
	"countersign/static"
	"countersign/templates"
	"countersign/web"
)

// accountTries is how many times as many failed sign-ins an account takes from
// anywhere as from one address: a stranger's tries do not lock the owner out at
// once.
const accountTries = 10

// wire puts the public handler together, in named structs, from the ground up.
func (a *App) wire(metrics *web.Metrics) (http.Handler, error) {
	bundle, err := i18n.New()
	if err != nil {
		return nil, err
	}
	assets, err := static.New()
	if err != nil {
		return nil, err
	}
	pages, err := templates.New(templates.Options{Bundle: bundle, Assets: assets, ChangePassword: a.config.ChangePasswordURL != ""})
	if err != nil {
		return nil, err
	}
	sessions, err := a.sessions()
	if err != nil {
		return nil, err
	}
	all, err := a.handlers(sessions, bundle, pages, assets)
	if err != nil {
		return nil, err
	}
	return web.New(web.Options{
		Handlers:       all,
		Sessions:       sessions,
		Bundle:         bundle,
		Pages:          pages,
		Assets:         assets,
		Metrics:        metrics,
		Logger:         a.logger,
		Now:            a.now,
		PublicOrigin:   a.config.PublicOrigin.String(),
		TrustedProxies: proxies(a.config),

		RevealAccountState: a.config.RevealAccountState,
	})
}

func (a *App) sessions() (*session.Store, error) {
	secure := a.config.PublicOrigin.HTTPS()
	return session.NewStore(session.Options{
		Redis:      a.redis.Client,
		Keys:       a.config.Session.Keys,
		CookieName: session.CookieName(secure),
		Secure:     secure,
		Idle:       a.config.Session.Idle,
		Lifetime:   a.config.Session.Lifetime,
		RecordTTL:  max(a.config.CeremonyTTL, a.config.RemoteTransactionTimeout+handlers.PendingSlack),
		Now:        a.now,
	})
}

func (a *App) handlers(sessions *session.Store, bundle *i18n.Bundle, pages *templates.Pages, assets *static.Assets) (handlers.Handlers, error) {
	limits, err := a.limits()
	if err != nil {
		return handlers.Handlers{}, err
	}
	platform := identity.New(identity.Options{Upstream: a.upstream, Paths: a.config.Paths, Release: a.config.PlatformRelease})
	stepUp := request.StepUp{Age: a.config.StepUpAge, Now: a.now}
	relyingParty := ceremony.RelyingParty{
		ID:      a.config.PublicOrigin.Hostname(),
		Origins: a.config.RPOrigins,
		Facets:  facets(a.config).IDs(),
		MaxAge:  a.config.CeremonyTTL,
		Now:     a.now,
	}
	memory := handlers.Memory{Secure: a.config.PublicOrigin.HTTPS()}
	signIn := handlers.SignIn{
		Identity:     platform,
		Sessions:     sessions,
		Memory:       memory,
		RelyingParty: relyingParty,
		Decoys:       handlers.Decoys{Sessions: sessions, Key: a.config.DecoyKey, RPID: relyingParty.ID, AppID: a.config.UAFAppID()},
		Limits:       limits,
		PushTTL:      a.config.RemoteTransactionTimeout,
		Now:          a.now,
	}
	all := handlers.Handlers{
		SignIn:         signIn,
		Registration:   handlers.Registration{Identity: platform, Sessions: sessions, RelyingParty: relyingParty, Limits: limits, StepUp: stepUp},
		Session:        handlers.Session{Sessions: sessions, Memory: memory, Bundle: bundle, Operator: a.operator, Now: a.now},
		Account:        handlers.Account{Sessions: sessions, Memory: memory},
		Authenticators: handlers.Authenticators{Identity: platform, StepUp: stepUp},
		Activation:     handlers.Activation{Identity: platform, Limits: limits, StepUp: stepUp},
		WellKnown:      wellKnown(a.config),
	}
	all.Transactions = handlers.Transactions{
		Identity:     platform,
		Sessions:     sessions,
		RelyingParty: relyingParty,
		Limits:       limits,
		PushTTL:      a.config.RemoteTransactionTimeout,
		Now:          a.now,
	}
	all.Pages = handlers.Pages{
		Templates:      pages,
		Assets:         assets,
		SignIns:        all.SignIn,
		Session:        all.Session,
		Account:        all.Account,
		Authenticators: all.Authenticators,
		Activation:     all.Activation,
		Memory:         memory,
		PushSignIn:     a.config.PushSignIn,
	}
	return all, nil
}

// facets are the UAF clients that are trusted: of this service's own those that
// UAF clients trust for its appID.
func facets(cfg config.Config) uaf.TrustedFacets {
	return uaf.NewTrustedFacets(cfg.UAFAppID(), cfg.Facets()...)
}

// wellKnown is what others may know of this service, from its settings.
func wellKnown(cfg config.Config) handlers.WellKnown {
	out := handlers.WellKnown{
		PublicOrigin:   cfg.PublicOrigin.String(),
		Facets:         facets(cfg),
		RelatedOrigins: cfg.RelatedOrigins(),
		IOSApps:        cfg.Apps.IOS,
		ChangePassword: cfg.ChangePasswordURL,
	}
	for _, app := range cfg.Apps.AndroidApps() {
		if len(app.Fingerprint) == sha256.Size {
			out.AndroidApps = append(out.AndroidApps, handlers.AndroidApp{Package: app.Package, Fingerprint: app.String()})
		}
	}
	return out
}

func (a *App) limits() (limits request.Limits, err error) {
	key, err := hkdf.Key(sha256.New, a.config.DecoyKey, nil, "countersign rate limits", sha256.Size)
	if err != nil {
		return limits, err
	}
	limits.Limiter = ratelimit.New(a.redis.Client, key)
	for _, l := range []struct {
		to   *ratelimit.Limit
		text string
	}{
		{&limits.SignIn, a.config.Rates.SignIn},
		{&limits.SignInAddress, a.config.Rates.SignInAddress},
		{&limits.Ceremony, a.config.Rates.Ceremony},
		{&limits.CeremonyAddress, a.config.Rates.CeremonyAddress},
	} {
		if *l.to, err = ratelimit.Parse(l.text); err != nil {
			return limits, err
		}
	}
	limits.SignInAccount = limits.SignIn.Times(accountTries)
	return limits, nil
}

// operator reports whether id may act for the whole account.
func (a *App) operator(id string) bool { return slices.Contains(a.config.Operators, id) }

func proxies(cfg config.Config) []string {
	out := make([]string, len(cfg.TrustedProxies))
	for i, prefix := range cfg.TrustedProxies {
		out[i] = prefix.String()
	}
	return out
}
