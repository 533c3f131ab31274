package app

import (
	"countersign/internal/compose"
	"countersign/internal/pdf"
	"countersign/internal/seal"
	"countersign/internal/signing"
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
	}
	return &compose.Service{
		Platform: platform, Index: a.packages, Keys: compose.NewKeys(keys), Once: once, Leases: leases, PDF: a.documents,
		Production: a.config.Production(), Now: a.now,
	}, nil
}
