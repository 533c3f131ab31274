package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"time"

	"countersign/handlers"
	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/handlers/people"
	"countersign/internal/account"
	"countersign/internal/ceremony"
	"countersign/internal/config"
	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/payload"
	"countersign/internal/redisdb"
	"countersign/internal/request"
	"countersign/internal/signin"
	"countersign/internal/uaf"
	"countersign/session"
	"countersign/static"
	"countersign/templates"
	"countersign/web"
)

// wire builds the public handler, in named structs, from the ground up.
func (a *App) wire(metrics *web.Metrics) (http.Handler, error) {
	assets, err := a.openFiles()
	if err != nil {
		return nil, err
	}
	renderer := a.renderer(a.bundle, assets)
	sessions, err := a.sessions()
	if err != nil {
		return nil, err
	}
	accounts := a.accounts(sessions, metrics)
	all, err := a.handlers(metrics, sessions, renderer, assets)
	if err != nil {
		return nil, err
	}
	actors := a.actors(&all)
	a.peoplePages(&all, actors, sessions, renderer)
	apis, err := a.domains(&all, actors, sessions, accounts, renderer)
	if err != nil {
		return nil, err
	}
	return web.New(web.Options{
		App:            a.folder,
		Uploads:        uploads(a.stores.leases),
		Handlers:       all,
		APIs:           apis,
		Sessions:       sessions,
		Keys:           a.stores.sessionKeys,
		Accounts:       accounts,
		Presses:        a.stores.presses,
		Bundle:         a.bundle,
		Renderer:       renderer,
		Assets:         assets,
		Metrics:        metrics,
		Trail:          a.trail,
		Tracer:         a.tracer,
		Logger:         a.logger,
		Now:            a.now,
		Users:          a.users(),
		PublicOrigin:   a.config.PublicOrigin.String(),
		TrustedProxies: a.config.TrustedProxies,

		RevealAccountState: a.config.RevealAccountState,
	})
}

// openFiles returns the assets of the pages, and opens the folder of a single-page
// application, if there is one.
func (a *App) openFiles() (assets *static.Assets, err error) {
	if dir := a.config.SPADir; dir != "" {
		if a.folder, err = static.OpenFolder(dir); err != nil {
			return nil, fmt.Errorf("COUNTERSIGN_SPA_DIR: %w", err)
		}
	}
	return static.New()
}

// domains adds the pages of the domains that are in use, and returns their JSON APIs.
func (a *App) domains(all *handlers.Handlers, actors request.Actors, sessions *session.Store, accounts *account.Checker, renderer page.Renderer) (apis []web.API, err error) {
	recovery := page.FormRecovery{Forms: a.stores.forms, Limiter: a.stores.limiter, Limit: a.limits.signIn.Address}
	all.Account.EndForms = a.ending(sessions).Forms
	all.AccountPage.Account, all.AuthenticatorsPage.Account = all.Account, all.Account
	all.AccountPage.Recovery = recovery
	if a.signing == nil && a.verification == nil {
		return nil, nil
	}
	if err := payload.CheckDir(a.config.SpoolDir); err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_SPOOL_DIR: %w", err)
	}
	if a.verification != nil {
		a.verificationPages(all, actors, sessions, accounts, renderer, recovery)
		all.Callbacks.VerificationKey, all.Callbacks.VerificationChanged = a.live.verificationKey.get, a.verification.service.NoteChange
		apis = append(apis, a.verificationAPI(actors))
	}
	if a.signing != nil {
		a.packagePages(all, actors, sessions, accounts, renderer, recovery)
		a.signingCallbacks(&all.Callbacks)
		apis = append(apis, a.signingAPI(actors))
	}
	return apis, nil
}

// renderer writes the pages.
func (a *App) renderer(bundle *i18n.Bundle, assets *static.Assets) page.Renderer {
	pages := templates.New(templates.Options{
		Bundle: bundle, Assets: assets, ChangePassword: a.config.ChangePasswordURL != "", HelpURL: a.config.HelpURL,
		Verifications: a.verification != nil, Packages: a.signing != nil, Operator: a.operator,
	})
	return page.Renderer{Templates: pages, Bundle: bundle}
}

// users returns the rules for user ids.
func (a *App) users() request.Users {
	return request.Users{Fold: a.config.FoldUsers(), DefaultDomain: a.config.DefaultDomain}
}

func (a *App) sessions() (*session.Store, error) {
	secure := a.config.PublicOrigin.HTTPS()
	proofs, err := a.dpopProofs()
	if err != nil {
		return nil, err
	}
	return session.NewStore(session.Options{
		Redis:      a.redis.Client,
		Read:       a.redis.Read,
		Repeats:    a.repeats,
		Keys:       a.stores.sessionKeys,
		CookieName: session.CookieName(secure),
		Secure:     secure,
		Idle:       a.config.Session.Idle,
		Lifetime:   a.config.Session.Lifetime,
		Timeout:    a.redis.Timeout(),
		RecordTTL:  max(a.config.CeremonyTTL, a.config.RemoteTransactionTimeout+signin.PushSlack),
		Now:        a.now,

		Proofs:       proofs,
		ProofRepeats: a.proofRepeats,
		NoBasic:      a.config.AppSessions == config.AppSessionsBound,
		BindBrowsers: a.config.BrowserSessions == config.BrowserSessionsBound,
	})
}

// dpopProofs returns what judges the proofs of apps that hold a key.
func (a *App) dpopProofs() (*dpop.Verifier, error) {
	var nonces *dpop.Nonces
	if a.config.DPoPNonce {
		nonces = dpop.NewNonces(a.stores.sessionKeys)
	}
	return dpop.NewVerifier(a.config.PublicOrigin.String(), nonces, a.now)
}

func (a *App) handlers(metrics *web.Metrics, sessions *session.Store, renderer page.Renderer, assets *static.Assets) (handlers.Handlers, error) {
	limits, platform := a.limits, a.identity
	stepUp := request.StepUp{Age: a.config.StepUpAge, Now: a.now}
	relyingParty := ceremony.RelyingParty{
		ID:      a.config.PublicOrigin.Hostname(),
		Origins: a.config.RPOrigins,
		Facets:  facets(a.config).IDs(),
		MaxAge:  a.config.CeremonyTTL,
		Now:     a.now,
	}
	ceremonies := identity.Ceremonies{Identity: platform, Sessions: sessions, RelyingParty: relyingParty}
	users, keys := a.users(), a.stores.sessionKeys
	device := identity.DeviceCookies{Secure: a.config.PublicOrigin.HTTPS(), Users: users, Proofs: keys.For("countersign proven device")}
	passkeys := a.stores.passkeys
	signIns, err := a.signIns(signin.Service{Identity: platform, Sessions: sessions, RelyingParty: relyingParty, Limits: limits.signIn, Passkeys: passkeys})
	if err != nil {
		return handlers.Handlers{}, err
	}
	prompt := identity.PasskeyPrompt{Identity: platform}
	all := handlers.Handlers{
		SignIn: identity.SignIn{
			SignIns: signIns, Device: device, Limits: limits.ceremony,
			Proofs:   request.Proofs{Sessions: sessions, Required: a.config.AppSessions == config.AppSessionsBound},
			Adaptive: a.config.IdentityAdaptive == "on",
		},
		Registration:   identity.Registration{Identity: platform, Ceremonies: ceremonies, Limits: limits.ceremony, StepUp: stepUp, Passkeys: passkeys, Denied: a.config.PasskeyDeny, Conditional: a.config.ConditionalCreate == "on", Device: device, Begun: metrics.ConditionalBegun, Now: a.now},
		Session:        identity.Session{Sessions: sessions, Device: device, Bundle: renderer.Bundle, Profiles: identity.Profiles{Identity: platform, Sessions: sessions}, Operator: a.operator, Preferences: a.preferences, Now: a.now},
		Binding:        identity.Binding{Sessions: sessions, Origin: a.config.PublicOrigin.String(), Limits: limits.ceremony, Seen: metrics.Binding},
		Account:        people.Account{Sessions: sessions, Device: device},
		Mails:          people.Mails{Preferences: a.preferences, Bundle: renderer.Bundle, Sent: a.notices != nil},
		Authenticators: people.Authenticators{Identity: platform, Passkeys: passkeys, StepUp: stepUp, Exclusive: exclusive(a.stores.leases)},
		Accepted:       people.AcceptedPasskeys{Identity: platform, Passkeys: passkeys, Now: a.now},
		Activation:     identity.Activation{Identity: platform, Limits: limits.ceremony, SignIns: limits.signIn, StepUp: stepUp, Users: users, Progress: a.activations().Status, RevealPasswordExpired: a.config.RevealPasswordExpired, TrustEmail: a.config.TrustPlatformEmail},
		WellKnown:      wellKnown(a.config),
		Transactions: identity.Transactions{
			Identity: platform, Ceremonies: ceremonies, Limits: limits.ceremony, PushProtection: a.config.PushProtection, PushTTL: a.config.RemoteTransactionTimeout, Now: a.now,
		},
		HomePage: handlers.HomePage{Renderer: renderer, Assets: assets, Prompt: prompt},
	}
	all.SignInPage = identity.SignInPage{
		Renderer: renderer, SignIn: all.SignIn, StepUp: stepUp, Device: device, Users: users, Prompt: prompt,
		CeremonyTTL: a.config.CeremonyTTL, Push: a.config.PushSignIn, PushTTL: a.config.RemoteTransactionTimeout,
	}
	all.AuthenticatorsPage = people.AuthenticatorsPage{Renderer: renderer, Authenticators: all.Authenticators, Account: all.Account}
	all.AccountPage = people.AccountPage{Renderer: renderer, Account: all.Account, Session: all.Session, Activation: all.Activation, Prompt: prompt, Recent: a.trail.Recent, Mails: all.Mails}
	return all, nil
}

const (
	// removalLife limits how long the removal of an authenticator keeps others out after its
	// node died, removalWait how long one request waits for another.
	removalLife = 10 * time.Second
	removalWait = 2 * time.Second
)

// exclusive returns a function that runs one removal of a person's authenticators at a
// time.
func exclusive(leases *redisdb.Leases) func(context.Context, string, func(context.Context) error) (bool, error) {
	return func(ctx context.Context, person string, work func(context.Context) error) (bool, error) {
		return leases.WithLease(ctx, redisdb.Lease{Kind: "authenticators", Subject: person, Life: removalLife, Wait: removalWait}, work)
	}
}

const (
	// uploadsAtOnce limits the uploads that a person has under way on all nodes.
	uploadsAtOnce = 3
	// uploadLife limits how long an upload counts after its node died.
	uploadLife = 45 * time.Second
	// uploadRetry is when a client is told to try again.
	uploadRetry = 5 * time.Second
)

// uploads returns a function that takes one of a person's places for uploads.
func uploads(leases *redisdb.Leases) func(context.Context, string) (func(), error) {
	return func(ctx context.Context, user string) (func(), error) {
		release, held, err := leases.Acquire(ctx, redisdb.Lease{Kind: "upload", Subject: user, Life: uploadLife, Slots: uploadsAtOnce})
		if err == nil && !held {
			full := fault.New(fault.RequestRate).After(uploadRetry)
			full.Specific = fault.RequestUploads
			err = full
		}
		return release, err
	}
}

// facets returns the trusted UAF facets for this service's appID.
func facets(cfg config.Config) uaf.TrustedFacets {
	return uaf.NewTrustedFacets(cfg.UAFAppID(), cfg.Facets()...)
}

// wellKnown returns the public documents about this service, from its settings.
func wellKnown(cfg config.Config) identity.WellKnown {
	out := identity.WellKnown{
		PublicOrigin:   cfg.PublicOrigin.String(),
		Facets:         facets(cfg),
		RelatedOrigins: cfg.RelatedOrigins(),
		IOSApps:        cfg.Apps.IOS,
		ChangePassword: cfg.ChangePasswordURL,
	}
	for _, app := range cfg.Apps.AndroidApps() {
		if len(app.Fingerprint) == sha256.Size {
			out.AndroidApps = append(out.AndroidApps, identity.AndroidApp{Package: app.Package, Fingerprint: app.String()})
		}
	}
	return out
}

// operator reports whether id may act for the whole account.
func (a *App) operator(id string) bool { return slices.Contains(*a.live.operators.Load(), id) }
