package app

import (
	"net/http"
	"strings"

	"countersign/internal/apidoc"
	"countersign/internal/config"
	"countersign/internal/identity/platform"
	"countersign/internal/upstream"
	"countersign/web"
)

// serviceSettings say where an API of the platform is; logs and metrics call it name.
type serviceSettings struct {
	config.Service
	name   string
	header http.Header
	oauth  *upstream.OAuth // nil for a fixed credential
}

// openService connects to one API of the platform; nothing is sent yet.
func (a *App) openService(s serviceSettings, metrics *web.Metrics) (*upstream.Client, error) {
	options := a.serviceOptions(s)
	options.Observe, options.Logger = metrics.Calls(s.name), a.logger
	options.Tracer = a.tracer
	client, err := upstream.New(options)
	if err != nil {
		return nil, err
	}
	metrics.Circuit(s.name, client.Circuit)
	return client, nil
}

// serviceOptions says where an API of the platform is and what its callers show.
func (a *App) serviceOptions(s serviceSettings) upstream.Options {
	options := upstream.Options{
		Name:          s.name,
		BaseURL:       s.URL,
		Authorization: s.Authorization,
		Version:       a.version,
		Header:        s.header,
		Timeout:       a.config.UpstreamTimeout,
		MaxResponse:   maxResponse[s.name],
		OAuth:         s.oauth,
		Now:           a.now,
	}
	switch {
	case a.sandbox == nil:
	case s.URL == "":
		options.BaseURL, options.Authorization = a.sandbox.URL(), a.sandbox.authorization(s.name)
	case s.Authorization == "" && !s.None && s.oauth == nil: // the address may be a proxy of the sandbox
		options.Authorization = a.sandbox.authorization(s.name)
	}
	if strings.HasPrefix(options.BaseURL, "https:") {
		options.TLS = s.TLS()
	}
	if a.exchange != nil {
		options.Tap = func(next http.RoundTripper) http.RoundTripper { return apidoc.Tap(next, options.BaseURL, a.exchange) }
	}
	return options
}

// maxResponse limits a response to a typed call, in bytes, for the services that need
// more than the default: a hundred packages are long, and so are the texts of results.
var maxResponse = map[string]int64{signingName: 64 << 20, verificationName: 64 << 20}

// identityService is the identity API as the settings have it.
func identityService(c config.Config) serviceSettings {
	return serviceSettings{name: "identity", Service: c.Identity}
}

// openIdentity connects to the identity API.
func (a *App) openIdentity(metrics *web.Metrics) (err error) {
	if a.upstream, err = a.openService(identityService(a.config), metrics); err == nil {
		a.identity = platform.New(platform.Options{Upstream: a.upstream, Paths: a.config.Paths, Release: a.config.PlatformRelease, ExactCase: a.config.UserCase == "keep", Logger: a.logger})
	}
	return err
}
