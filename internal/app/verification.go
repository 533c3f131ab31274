package app

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/handlers"
	"countersign/internal/access"
	"countersign/internal/config"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/internal/sandbox/idv"
	"countersign/internal/verification"
	verifying "countersign/internal/verification/service"
	"countersign/session"
)

// verificationName is what logs and metrics call the identity verification API.
const verificationName = "verification"

// verificationService is the identity verification API as the settings have it.
func (a *App) verificationService() service {
	s := service{name: verificationName, Service: a.config.IDV.Service()}
	tenant := a.config.IDV.Tenant
	if tenant == "" && a.sandbox != nil {
		tenant = idv.Tenant
	}
	if tenant != "" {
		s.header = http.Header{"X-Tenant": {tenant}}
	}
	return s
}

// openVerification wires the use cases of identity verification, if it is in use.
func (a *App) openVerification() error {
	if a.verifyAPI == nil {
		return nil
	}
	with, err := a.forIndexes()
	if err != nil {
		return err
	}
	platform := verification.New(verification.Options{
		Upstream: a.verifyAPI, Paths: a.config.Paths, AccessURL: a.accessURL(), Sites: a.sites(),
	})
	index, err := access.NewTransactions(access.TransactionOptions{
		Redis: a.redis.Client, Keys: a.config.AccessKeys, Platform: platformTransactions{platform},
		Leases: with.leases, Lookup: with.lookup, Now: a.now,
	})
	if err != nil {
		return err
	}
	once, err := a.idempotency()
	if err != nil {
		return err
	}
	limiter, err := a.limiter()
	if err != nil {
		return err
	}
	creations, err := ratelimit.Parse(a.config.Rates.Verification)
	if err != nil {
		return err
	}
	rules, err := a.verificationRules()
	a.verification = &verifying.Service{
		Platform: platform, Index: index, Once: once, Rules: rules, Limiter: limiter, Creations: creations,
		OperatorsCreate: a.config.IDV.OperatorsCreate(), StartersErase: a.config.IDV.StarterErases(),
		Hint:   func(ctx context.Context, id string) error { return a.hub.Hint(ctx, id) },
		Logger: a.logger, Now: a.now,
	}
	return err
}

// verificationActors tell the use cases who asks, from either door.
func (a *App) verificationActors() request.Verifications {
	return request.Verifications{Operator: a.operator, StepUp: request.StepUp{Age: a.config.StepUpAge, Now: a.now}}
}

// verificationPages wires the pages and streams of verifications.
func (a *App) verificationPages(all *handlers.Handlers, sessions *session.Store, renderer handlers.Renderer) {
	if a.verification == nil {
		return
	}
	all.Verifications = handlers.Verifications{Service: a.verification, Actors: a.verificationActors()}
	all.VerificationEvents = handlers.VerificationEvents{Verifications: all.Verifications, Streams: a.streams(sessions)}
	all.VerificationsPage = handlers.VerificationsPage{Renderer: renderer, Verifications: all.Verifications}
	all.VerificationPage = handlers.VerificationPage{Renderer: renderer, Verifications: all.Verifications}
	all.NewVerificationPage = handlers.NewVerificationPage{
		Renderer: renderer, Verifications: all.Verifications, PublicOrigin: a.config.PublicOrigin.String(),
	}
}

// sites are the hosts of the platform's pages.
func (a *App) sites() config.Hosts {
	if hosts := a.config.IDV.SiteHosts; len(hosts) > 0 {
		return hosts
	}
	return config.Hosts{a.verifyAPI.URL().Host}
}

// accessURL is the template of the addresses of these pages; embedded, the sandbox's.
func (a *App) accessURL() string {
	if a.config.IDV.AccessURL == "" && a.sandbox != nil && a.config.IDV.URL == "" {
		return a.sandbox.URL() + "/esign/{transaction}?access_token={token}"
	}
	return a.config.IDV.AccessURL
}

// platformTransactions is the platform as the index needs it.
type platformTransactions struct{ client *verification.Client }

// Transaction is the transaction of that id.
func (p platformTransactions) Transaction(ctx context.Context, id string) (jsontext.Value, error) {
	t, err := p.client.Transaction(ctx, id)
	return t.Value, err
}

// Result is what came of it.
func (p platformTransactions) Result(ctx context.Context, id string) (string, error) {
	report, err := p.client.Report(ctx, id)
	return report.Result, err
}

// verificationRules are those of the payload that starts a transaction; embedded, the
// sandbox's workflows and brands are allowed.
func (a *App) verificationRules() (verification.Rules, error) {
	r := verification.Rules{
		Workflows: a.config.IDV.Workflows, Brands: a.config.IDV.Brands, Role: a.config.IDV.Role, ClientMembers: a.config.IDV.ClientMembers,
		Origins: []config.Origin{a.config.PublicOrigin}, SpoolDir: a.config.SpoolDir, Production: a.config.Production(), Now: a.now,
	}
	if len(r.Workflows) == 0 {
		r.Workflows = idv.Workflows[:]
	}
	if len(r.Brands) == 0 {
		r.Brands = idv.Brands[:]
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
