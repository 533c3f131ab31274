package app

import (
	"countersign/handlers"
	"countersign/internal/compose"
	"countersign/internal/pdf"
	"countersign/internal/seal"
	"countersign/internal/signing"
)

// newPackagePage puts the pages together on which packages are prepared and recipients
// corrected.
func (a *App) newPackagePage(all *handlers.Handlers, renderer handlers.Renderer) error {
	drafts, err := a.drafts(all.Packages.Platform)
	all.NewPackagePage = handlers.NewPackagePage{
		Renderer: renderer, Packages: all.Packages, Drafts: drafts, MaxUpload: int64(a.config.MaxUpload), SpoolDir: a.config.SpoolDir,
	}
	all.RecipientPage = handlers.RecipientPage{Renderer: renderer, Packages: all.Packages, Drafts: drafts}
	return err
}

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
	once, err := a.idempotency(a.config.Signing.Timeout)
	if err != nil {
		return nil, err
	}
	if len(a.pdf.Command) > 0 {
		a.documents = pdf.NewWorkers(a.pdf)
	}
	return &compose.Service{
		Platform: platform, Index: a.packages, Keys: compose.NewKeys(keys), Once: once, Leases: leases, PDF: a.documents,
		Production: a.config.Production(), Now: a.now,
	}, nil
}
