package app

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/conformance"
	"countersign/internal/identity/platform"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/people"
	"countersign/internal/upstream"
)

// Conformance tests the platform of the settings with the people of with, in development
// a separate sandbox, and calls tell with each result as it comes. Results contain no
// secret. The error is ctx's if time ran out.
func Conformance(ctx context.Context, o Options, with config.Conformance, tell func(conformance.Result)) (err error) {
	a := New(o)
	if !a.config.Production() {
		// Another Countersign may be running at the sandbox's own address.
		a.config.Sandbox.Addr = "127.0.0.1:0"
		if a.sandbox, err = openSandbox(ctx, Options{Config: a.config, Logger: a.logger, Now: a.now}, nil, a.documents, a.failed); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.sandbox.Close(context.WithoutCancel(ctx))) }()
		with = demoPeople(with, a.config.PublicOrigin.String())
	}
	with.Origin = cmp.Or(with.Origin, a.config.PublicOrigin.String())
	c := a.config
	tell = concealing([]string{with.Password, c.Signing.APIKey, c.Signing.OAuth.ClientSecret, c.IDV.Token, c.Identity.Authorization}, tell)
	if err := a.conformIdentity(ctx, with, tell); err != nil {
		return err
	}
	if a.config.SigningInUse() {
		if err := a.conformSigning(ctx, with, tell); err != nil {
			return err
		}
	}
	if a.config.VerificationInUse() {
		a.conformVerification(ctx, tell)
	}
	return ctx.Err()
}

// demoPeople returns with, completed with the demo people.
func demoPeople(with config.Conformance, origin string) config.Conformance {
	for flag, value := range map[*string]string{
		&with.User: "alice@sandbox", &with.Other: "bob@sandbox", &with.Password: people.DemoPassword, &with.Unknown: "nobody@sandbox",
		&with.Disabled: "dave@sandbox", &with.Locked: "erin@sandbox", &with.Expired: "frank@sandbox",
		&with.Signer: "ada@sandbox.example", &with.Facet: origin,
	} {
		*flag = cmp.Or(*flag, value)
	}
	with.Fill = true
	return with
}

func (a *App) conformIdentity(ctx context.Context, with config.Conformance, tell func(conformance.Result)) error {
	options := a.serviceOptions(identityService(a.config))
	options.OutagesToOpen = 1 << 30 // each case shall ask, however many before it failed
	up, err := upstream.New(options)
	if err != nil {
		return err
	}
	defer up.Close()
	env := conformance.Env{
		User: with.User, Other: with.Other, Password: with.Password, Unknown: with.Unknown,
		Disabled: with.Disabled, Locked: with.Locked, Expired: with.Expired, Ended: with.Ended,
		Origin: with.Origin, Facet: with.Facet, ConditionalCreate: a.config.ConditionalCreate == "on",
	}
	if steered := a.steered(options); steered.Reachable(ctx) {
		env.Decide = steered.Decide
		env.Ended = cmp.Or(env.Ended, "ended@sandbox")
		if err := steered.End(ctx, env.Ended, env.Password); err != nil {
			return err
		}
	}
	conformance.Identity(ctx, platform.Options{Upstream: up, Paths: a.config.Paths, Release: a.config.PlatformRelease}, env, tell)
	return nil
}

func (a *App) conformSigning(ctx context.Context, with config.Conformance, tell func(conformance.Result)) error {
	options := a.serviceOptions(signingService(a.config))
	options.Logger = a.logger
	up, err := upstream.New(options)
	if err != nil {
		return err
	}
	defer up.Close()
	var shown []string
	authorize := func(ctx context.Context, given string) (string, error) {
		value, err := up.Authorization(ctx, given)
		if _, token, _ := strings.Cut(value, " "); !slices.Contains(shown, token) {
			shown = append(shown, token)
		}
		return value, err
	}
	conformance.Signing(ctx, plainClient(options), conformance.SigningEnv{
		URL: options.BaseURL, Authorize: authorize, Renewable: options.OAuth != nil, Paths: a.config.Paths, Signer: with.Signer, Fill: with.Fill,
	}, func(r conformance.Result) { concealing(shown, tell)(r) })
	return nil
}

func (a *App) conformVerification(ctx context.Context, tell func(conformance.Result)) {
	service := a.verificationService(a.config)
	options := a.serviceOptions(service)
	env := conformance.VerificationEnv{
		URL: options.BaseURL, Authorization: options.Authorization, Tenant: service.header.Get("X-Tenant"),
		Workflow: first(a.config.IDV.Workflows, idv.Workflows()), Brand: first(a.config.IDV.Brands, idv.Brands()),
		Role: a.config.IDV.Role, Paths: a.config.Paths,
	}
	if steered := a.steered(options); steered.Reachable(ctx) {
		env.Play, env.Wait = steered.Play, steered.Wait
	}
	conformance.Verification(ctx, plainClient(options), env, tell)
}

func first(set, otherwise []string) string {
	if len(set) > 0 {
		return set[0]
	}
	return otherwise[0]
}

// steered returns a client of the platform's management, which only a sandbox has.
func (a *App) steered(o upstream.Options) conformance.Sandbox {
	o.Tap = nil // the management is no part of the platform's interfaces
	return conformance.Sandbox{URL: o.BaseURL, HTTP: plainClient(o)}
}

// plainClient returns an HTTP client for one API of the platform that follows no redirect
// and uses no proxy, so that a credential cannot travel elsewhere.
func plainClient(o upstream.Options) *http.Client {
	var transport http.RoundTripper = &http.Transport{TLSClientConfig: o.TLS}
	if o.Tap != nil {
		transport = o.Tap(transport)
	}
	return &http.Client{
		Transport:     transport,
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// concealing returns tell with secrets replaced in findings, which may quote the platform.
func concealing(secrets []string, tell func(conformance.Result)) func(conformance.Result) {
	var pairs []string
	for _, secret := range secrets {
		if secret != "" {
			pairs = append(pairs, secret, "[redacted]")
		}
	}
	redacted := strings.NewReplacer(pairs...)
	return func(r conformance.Result) {
		for i := range r.Findings {
			r.Findings[i] = redacted.Replace(r.Findings[i])
		}
		tell(r)
	}
}
