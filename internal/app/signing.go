package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"countersign/handlers"
	"countersign/handlers/page"
	"countersign/handlers/portal"
	"countersign/internal/account"
	"countersign/internal/bearer"
	"countersign/internal/config"
	"countersign/internal/pdf"
	"countersign/internal/request"
	"countersign/internal/sandbox/callback"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
	"countersign/session"
	"countersign/signingproxy"
	"countersign/web"
)

// signingDomain is electronic signing, where it is in use.
type signingDomain struct {
	upstream *upstream.Client
	service  *service.Service
	drafts   *compose.Service
	files    *service.Files
	pages    *service.Pages
}

// signingName is the name of the signing API in logs and metrics.
const signingName = "signing"

// signingService is the signing API as the settings have it.
func signingService(c config.Config) serviceSettings {
	s := serviceSettings{name: signingName, Service: c.Signing.Service()}
	if client := c.Signing.OAuth; client.ClientID != "" && s.URL != "" {
		s.oauth = &upstream.OAuth{ID: client.ClientID, Secret: client.ClientSecret, TokenURL: client.TokenURL, TLS: s.TLS()}
	}
	return s
}

// openSigning puts the use cases of electronic signing together, where that is in use.
func (a *App) openSigning(metrics *web.Metrics) error {
	if !a.config.SigningInUse() {
		return nil
	}
	api, err := a.openService(signingService(a.config), metrics)
	if err != nil {
		return err
	}
	d := &signingDomain{upstream: api}
	a.signing = d
	unread := platform.NewUnreadableLog(a.logger)
	client := platform.New(api, a.config.Paths).WithUnreadableLog(unread)
	packages, err := index.New(index.Options{
		Redis: a.redis.Client, Keys: a.stores.accessKeys, Platform: index.OfClient(client), Leases: a.stores.leases,
		Lookup: a.stores.lookup, Sweep: a.config.Signing.Sweep, Logger: a.logger, UnreadableLog: unread, Ends: a.notices != nil, Now: a.now,
	})
	if err != nil {
		return err
	}
	metrics.Packages(packages.Stats)
	d.files = &service.Files{Dir: a.config.SpoolDir, Now: a.now}
	d.service = &service.Service{
		Platform: client, Index: packages, Once: a.stores.once, Revisions: a.stores.revisions, Files: d.files,
		Hint:            func(ctx context.Context, topic string) { a.hub.Hint(ctx, topic) },
		OperatorsCreate: a.config.Signing.OperatorsCreate(), Production: a.config.Production(), Limits: a.documentLimits(),
		Sites: append(config.Hosts{strings.ToLower(api.URL().Host)}, a.config.Signing.SiteHosts...), Proofs: a.proofs(),
		Owners: a.ownerNotices(), Retention: a.retention(a.config.Signing.TrashAfter, metrics.Retention("package")),
	}
	d.pages = &service.Pages{Service: d.service, PDF: a.documents, Files: d.files}
	metrics.Gaps(d.pages.Gaps)
	d.drafts = &compose.Service{
		Platform: client, Keys: compose.NewKeys(a.stores.accessKeys), Once: a.stores.once,
		PDF: a.documents, Production: a.config.Production(), Limits: a.documentLimits(), Now: a.now,
	}
	return nil
}

// documentLimits returns the platform's limits of documents.
func (a *App) documentLimits() signing.Limits {
	return signing.Limits{MaxDocuments: a.config.MaxDocuments, MaxDocumentSize: int64(a.config.MaxDocumentSize)}
}

// openDocuments starts no process yet: a worker begins with the first document. It
// returns nil without a command.
func openDocuments(o pdf.Options, logger *slog.Logger) *pdf.Workers {
	o.Logger = logger
	if len(o.Command) == 0 {
		return nil
	}
	return pdf.NewWorkers(o)
}

// prepareDocuments compiles PDFium, unless it has been, beside the program's work.
func (a *App) prepareDocuments(ctx context.Context) {
	if dir := a.config.PDFCacheDir; dir != "" && !a.documents.Cached() {
		a.logger.Warn("pdfium cache not used", "cause", "COUNTERSIGN_PDF_CACHE_DIR is not a folder that this user alone can write to", "folder", dir)
	}
	if !pdf.CanCompile() {
		a.logger.Warn("pdfium not compiled; documents are read slowly", "cause", "the system forbids this program to make machine code, as MemoryDenyWriteExecute, execmem or PaX do")
	}
	if err := a.documents.Prepare(ctx); err != nil && ctx.Err() == nil {
		a.logger.Warn("pdfium start failed", "cause", err.Error())
	}
}

// signingAPI returns the JSON API of electronic signing.
func (a *App) signingAPI(actors request.Actors) web.API {
	return signingproxy.New(signingproxy.Options{
		Upstream: a.signing.upstream, Service: a.signing.service, Actors: actors,
		MaxUpload: int64(a.config.MaxUpload), SpoolDir: a.config.SpoolDir,
	})
}

// packagePages adds the pages of packages.
func (a *App) packagePages(all *handlers.Handlers, actors request.Actors, sessions *session.Store, accounts *account.Checker, renderer page.Renderer, recovery page.FormRecovery) {
	all.Packages = portal.Packages{
		Renderer: renderer, Service: a.signing.service, Drafts: a.signing.drafts, Pages: a.signing.pages, Streams: a.streams(sessions, accounts),
		Actors: actors, Recovery: recovery, Origin: a.config.PublicOrigin.String(), Verifies: a.verification != nil,
		MaxUpload: int64(a.config.MaxUpload), SpoolDir: a.config.SpoolDir, Now: a.now,
	}
	all.HomePage.Packages = all.Packages
}

// signingCallbacks admits the platform's callbacks by the settings.
func (a *App) signingCallbacks(to *handlers.Callbacks) {
	s := a.config.Signing
	to.SigningKey, to.SigningHeader, to.KeepSigning = a.live.signingKey.get, s.CallbackHeader, a.signingChanged
	if s.CallbackJWKSURL != "" {
		to.SigningToken = bearer.New(bearer.Options{
			Issuer: s.CallbackIssuer, Audience: s.CallbackAudience, JWKSURL: s.CallbackJWKSURL, Transport: http.DefaultTransport, Now: a.now,
		}).Admits
	}
}

// sandboxCallbacks makes the keys of callbacks that no setting gives, and returns how the
// embedded platform is to use them, by the name of the service.
func (a *App) sandboxCallbacks() map[string]callback.Receiver {
	made, host := map[string]callback.Receiver{}, a.config.PublicOrigin.Host()
	if s := &a.config.Signing; s.CallbackKey == "" && s.CallbackIssuer == "" {
		s.CallbackKey = rand.Text()
		made[signingName] = callback.Receiver{URL: a.public.url() + "/callbacks/signing", Host: host, Authorization: "Basic " + s.CallbackKey}
	}
	if s := &a.config.IDV; s.CallbackKey == "" {
		s.CallbackKey = rand.Text()
		made[verificationName] = callback.Receiver{URL: a.public.url() + "/callbacks/verification", Host: host, Authorization: "Bearer " + s.CallbackKey}
	}
	return made
}

// hintWithin limits how long a callback waits until the live pages are told of it. The platform
// drops a callback that is not answered within 5 seconds, of which Index.Take uses up to 3.
const hintWithin = time.Second

// signingChanged keeps an event of the platform's, and has its package's live pages read it
// now; if that fails, they read it a moment later.
func (a *App) signingChanged(ctx context.Context, event []byte) error {
	if err := a.signing.service.Index.Take(ctx, event); err != nil {
		return err
	}
	if id := signing.EventPackage(event); id != "" {
		a.signing.files.Drop(id)
		ctx, cancel := context.WithTimeout(ctx, hintWithin)
		defer cancel()
		a.hub.Hint(ctx, service.Topic(id))
	}
	return nil
}
