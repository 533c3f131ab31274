package service

import (
	"context"
	"sync"
	"time"

	"countersign/internal/access"
	"countersign/internal/signing"
)

// Sizes returns the sizes of a document's pages, in points, for a document whose package
// does not tell them; none where the document cannot be shown. The document is read once for
// as long as its package is not updated.
func (p *Pages) Sizes(ctx context.Context, who access.Actor, pkg, document string) (sizes []signing.PageSize) {
	var key fileKey
	if g, err := p.Service.Grant(ctx, who, pkg); err == nil {
		key = fileKey{pkg, document, g.Updated}
	}
	if known, ok := p.known.sizes(key); ok {
		return known
	}
	err := p.read(ctx, who, Page{Package: pkg, Document: document}, func(content []byte) (bool, error) {
		found, err := p.PDF.Read(ctx, content, nil)
		for _, page := range found.Pages {
			sizes = append(sizes, signing.PageSize{Width: page.Width, Height: page.Height})
		}
		return true, err
	})
	if err == nil && p.isSettled(key) {
		p.known.keep(key, sizes)
	}
	return sizes
}

// Unshown reports whether a page of a document turned out to be one that cannot be shown,
// since its package was last updated. A page not asked for yet counts as shown.
func (p *Pages) Unshown(page Page, updated string) bool {
	key := fileKey{page.Package, page.Document, updated}
	return p.known.isRefused(key, page.Number) || p.known.isRefused(key, 0)
}

// isSettled reports whether the key tells the document from the one before.
func (p *Pages) isSettled(key fileKey) bool {
	at, err := time.Parse(time.RFC3339, key.updated)
	return err == nil && p.Files.Now().Sub(at) >= settled
}

// maxKnown limits how many documents are remembered, and how many refused pages.
const maxKnown = 1024

// known remembers what was found out about documents as of an update of their packages. The
// zero value is ready.
type known struct {
	mu      sync.Mutex
	sized   map[fileKey][]signing.PageSize
	refused map[refusedPage]bool
}

// refusedPage is a page that cannot be shown; the number 0 is the whole document.
type refusedPage struct {
	fileKey
	number int
}

func (k *known) sizes(key fileKey) ([]signing.PageSize, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	sizes, ok := k.sized[key]
	return sizes, ok || k.refused[refusedPage{key, 0}]
}

func (k *known) keep(key fileKey, sizes []signing.PageSize) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sized == nil || len(k.sized) >= maxKnown {
		k.sized = map[fileKey][]signing.PageSize{}
	}
	k.sized[key] = sizes
}

func (k *known) refuse(key fileKey, number int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil || len(k.refused) >= maxKnown {
		k.refused = map[refusedPage]bool{}
	}
	k.refused[refusedPage{key, number}] = true
}

func (k *known) isRefused(key fileKey, number int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused[refusedPage{key, number}]
}
