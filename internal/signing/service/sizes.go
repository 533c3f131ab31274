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
	_, err := p.read(ctx, who, Page{Package: pkg, Document: document}, func(content []byte) (bool, error) {
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
	return p.known.is(key, page.Number, refused) || p.known.is(key, 0, refused)
}

// Incomplete reports whether characters turned out to be missing in the picture of a page,
// since its package was last updated.
func (p *Pages) Incomplete(page Page, updated string) bool {
	return p.known.is(fileKey{page.Package, page.Document, updated}, page.Number, incomplete)
}

// isSettled reports whether the key tells the document from the one before.
func (p *Pages) isSettled(key fileKey) bool {
	at, err := time.Parse(time.RFC3339, key.updated)
	return err == nil && p.Files.Now().Sub(at) >= settled
}

// maxKnown limits how many documents are remembered, and how many pages.
const maxKnown = 1024

// known remembers what was found out about documents as of an update of their packages. The
// zero value is ready.
type known struct {
	mu     sync.Mutex
	sized  map[fileKey][]signing.PageSize
	marked map[markedPage]bool
}

// markedPage is what is the matter with a page; the number 0 is the whole document.
type markedPage struct {
	fileKey
	number int
	matter
}

// matter is what is the matter with a page.
type matter int

const (
	refused    matter = iota // it cannot be shown
	incomplete               // characters are missing in its picture
)

func (k *known) sizes(key fileKey) ([]signing.PageSize, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	sizes, ok := k.sized[key]
	return sizes, ok || k.marked[markedPage{key, 0, refused}]
}

func (k *known) keep(key fileKey, sizes []signing.PageSize) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sized == nil || len(k.sized) >= maxKnown {
		k.sized = map[fileKey][]signing.PageSize{}
	}
	k.sized[key] = sizes
}

func (k *known) mark(key fileKey, number int, m matter) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.marked == nil || len(k.marked) >= maxKnown {
		k.marked = map[markedPage]bool{}
	}
	k.marked[markedPage{key, number, m}] = true
}

func (k *known) is(key fileKey, number int, m matter) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.marked[markedPage{key, number, m}]
}
