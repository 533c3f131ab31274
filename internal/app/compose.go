package app

import (
	"context"

	"countersign/internal/formrecovery"
	"countersign/internal/pdf"
	"countersign/internal/seal"
	"countersign/internal/signing"
	"countersign/internal/signing/compose"
)

// drafts are the packages that people prepare on pages.
func (a *App) drafts(platform *signing.Client) (*compose.Service, error) {
	keys, err := seal.New(a.config.AccessKeys...)
	if err != nil {
		return nil, err
	}
	leases, err := a.leases()
	if err != nil {
		return nil, err
	}
	once, err := a.idempotency()
	if err != nil {
		return nil, err
	}
	if len(a.pdf.Command) > 0 {
		a.documents = pdf.NewWorkers(a.pdf)
		if dir := a.config.PDFCacheDir; dir != "" && a.pdf.Cache == "" {
			a.logger.Warn("PDFium is compiled at each start", "cause", "COUNTERSIGN_PDF_CACHE_DIR is not a folder that this user alone can write to", "folder", dir)
		}
	}
	return &compose.Service{
		Platform: platform, Index: a.packages, Keys: compose.NewKeys(keys), Once: once, Leases: leases, PDF: a.documents,
		Production: a.config.Production(), Now: a.now,
	}, nil
}

// forms keeps forms that are sent after their session has ended.
func (a *App) forms() (*formrecovery.Store, error) {
	keys, err := seal.New(a.config.AccessKeys...)
	if err != nil {
		return nil, err
	}
	return formrecovery.New(formrecovery.Options{Redis: a.redis.Client, Keys: keys, Lifetime: a.config.Session.Lifetime, Now: a.now}), nil
}

// prepareDocuments has PDFium compiled beside the program's work, where it has not been
// yet.
func (a *App) prepareDocuments(ctx context.Context) {
	if err := a.documents.Prepare(ctx); err != nil && ctx.Err() == nil {
		a.logger.Warn("documents cannot be read", "cause", err.Error())
	}
}
