package app

import (
	"context"
	"net/http"

	"countersign/handlers"
	"countersign/handlers/page"
	"countersign/handlers/verify"
	"countersign/internal/account"
	"countersign/internal/config"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/internal/sandbox/idv"
	"countersign/internal/upstream"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/internal/verification/platform"
	verifying "countersign/internal/verification/service"
	"countersign/session"
	verificationapi "countersign/signingproxy/verification"
	"countersign/web"
)

// verificationName is the name of the identity verification API in logs and metrics.
const verificationName = "verification"

// verificationService is the identity verification API as the settings have it.
func (a *App) verificationService(c config.Config) serviceSettings {
	s := serviceSettings{name: verificationName, Service: c.IDV.Service()}
	tenant := c.IDV.Tenant
	if tenant == "" && a.sandbox != nil {
		tenant = idv.Tenant
	}
	if tenant != "" {
		s.header = http.Header{"X-Tenant": {tenant}}
	}
	return s
}

// verificationDomain is identity verification, where it is in use.
type verificationDomain struct {
	upstream *upstream.Client
	service  *verifying.Service
}

// openVerification puts the use cases of identity verification together, where that is in
// use.
func (a *App) openVerification(metrics *web.Metrics) error {
	if !a.config.VerificationInUse() {
		return nil
	}
	api, err := a.openService(a.verificationService(a.config), metrics)
	if err != nil {
		return err
	}
	a.verification = &verificationDomain{upstream: api}
	client := platform.New(platform.Options{
		Upstream: api, Paths: a.config.Paths, Addresses: verification.Addresses{AccessURL: a.accessURL(), Sites: a.verificationSites(api)},
	})
	transactions, err := index.New(index.Options{
		Redis: a.redis.Client, Keys: a.stores.accessKeys, Platform: index.OfClient(client),
		Leases: a.stores.leases, Lookup: a.stores.lookup, Now: a.now,
	})
	if err != nil {
		return err
	}
	creations, err := ratelimit.Parse(a.config.Rates.Verification)
	if err != nil {
		return err
	}
	rules, err := a.verificationRules()
	a.verification.service = &verifying.Service{
		Platform: client, Index: transactions, Once: a.stores.once, Rules: rules, Limiter: a.stores.limiter, Creations: creations,
		OperatorsCreate: a.config.IDV.OperatorsCreate(), StartersErase: a.config.IDV.StarterErases(),
		LinkLifetime: a.config.IDV.LinkLifetime, Retention: a.retention(a.config.IDV.EraseAfter, metrics.Retention("verification")),
		Hint:   func(ctx context.Context, id string) { a.hub.Hint(ctx, id) },
		Logger: a.logger, Now: a.now,
	}
	return err
}

// verificationAPI returns the JSON API of identity verification.
func (a *App) verificationAPI(actors request.Actors) web.API {
	return verificationapi.New(verificationapi.Options{Service: a.verification.service, Actors: actors, PublicOrigin: a.URL(), Bundle: a.bundle})
}

// verificationPages adds the pages and streams of verifications.
func (a *App) verificationPages(all *handlers.Handlers, actors request.Actors, sessions *session.Store, accounts *account.Checker, renderer page.Renderer, recovery page.FormRecovery) {
	all.Verifications = verify.Verifications{
		Renderer: renderer, Service: a.verification.service, Streams: a.streams(sessions, accounts),
		Actors: actors, Recovery: recovery, PublicOrigin: a.config.PublicOrigin.String(),
	}
}

// verificationSites are the hosts of the platform's pages.
func (a *App) verificationSites(api *upstream.Client) config.Hosts {
	if hosts := a.config.IDV.SiteHosts; len(hosts) > 0 {
		return hosts
	}
	return config.Hosts{api.URL().Host}
}

// accessURL returns the template of those pages' addresses; in development, the
// sandbox's.
func (a *App) accessURL() string {
	if a.config.IDV.AccessURL == "" && a.sandbox != nil && a.config.IDV.URL == "" {
		return a.sandbox.URL() + "/esign/{transaction}?access_token={token}"
	}
	return a.config.IDV.AccessURL
}

// verificationRules returns the rules of the payload that starts a transaction; embedded, the
// sandbox's workflows and brands are allowed.
func (a *App) verificationRules() (verification.Rules, error) {
	r := verification.Rules{
		Workflows: a.config.IDV.Workflows, Brands: a.config.IDV.Brands, Role: a.config.IDV.Role, ClientMembers: a.config.IDV.ClientMembers,
		Origins: []config.Origin{a.config.PublicOrigin}, SpoolDir: a.config.SpoolDir, Production: a.config.Production(), Now: a.now,
	}
	if len(r.Workflows) == 0 {
		r.Workflows = idv.Workflows()
	}
	if len(r.Brands) == 0 {
		r.Brands = idv.Brands()
	}
	for _, text := range a.config.IDV.RedirectOrigins {
		origin, err := config.ParseOrigin(text)
		if err != nil {
			return r, err
		}
		r.Origins = append(r.Origins, origin)
	}
	return r, nil
}
