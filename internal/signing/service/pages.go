package service

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/pdf"
	"countersign/internal/signing"
)

// Pages shows the pages of documents, as pictures and as text, to people with permission to read the
// document's PDF. Who can is asked for each page.
type Pages struct {
	Service *Service
	// PDF reads documents; nil shows none.
	PDF   *pdf.Workers
	Files *Files

	turns turns
	known known
	gaps  atomic.Int64
}

// Page names a page of a document, from 1.
type Page struct {
	Package, Document string
	Number            int
}

var errNoPDF = errors.New("no documents are read here")

// Picture returns a page as PNG, so many pixels wide, or smaller if it would have more than
// 8 megapixels. The error is request.not-found for a document that the actor does not see and
// for a page that it lacks, document.not-shown for a document that cannot be read.
func (p *Pages) Picture(ctx context.Context, who access.Actor, page Page, width int) (picture pdf.Picture, err error) {
	key, err := p.read(ctx, who, page, func(content []byte) (ok bool, err error) {
		picture, ok, err = p.PDF.Draw(ctx, content, page.Number-1, width)
		return ok, err
	})
	if err == nil && picture.Missing > 0 {
		p.gaps.Add(1)
		if p.isSettled(key) {
			p.known.mark(key, page.Number, incomplete)
		}
	}
	return picture, err
}

// Gaps returns the number of pictures so far in which characters are missing.
func (p *Pages) Gaps() int64 { return p.gaps.Load() }

// Text returns the text of a page in reading order. Its errors are Picture's.
func (p *Pages) Text(ctx context.Context, who access.Actor, page Page) (text string, err error) {
	_, err = p.read(ctx, who, page, func(content []byte) (ok bool, err error) {
		text, ok, err = p.PDF.Text(ctx, content, page.Number-1)
		return ok, err
	})
	return text, err
}

// Search returns the positions of a text in a document, in the platform's order. Its errors
// are Picture's; none has a number.
func (p *Pages) Search(ctx context.Context, who access.Actor, pkg, document, text string) (places []pdf.Place, err error) {
	_, err = p.read(ctx, who, Page{Package: pkg, Document: document}, func(content []byte) (ok bool, err error) {
		places, err = p.PDF.Search(ctx, content, text)
		return true, err
	})
	return places, err
}

// read hands the document of a page to a reader, one at a time for each person, and returns
// what it is known by.
func (p *Pages) read(ctx context.Context, who access.Actor, page Page, reader func([]byte) (bool, error)) (key fileKey, err error) {
	g, err := p.Service.GrantFor(ctx, who, page.Package, "getDocumentPage")
	switch {
	case err != nil:
		return key, err
	case !signing.ValidID(page.Document), signing.IsPathWord(page.Document), !g.Sees(page.Document):
		return key, fault.New(fault.RequestNotFound)
	case p.PDF == nil:
		return key, fault.Wrap(fault.DocumentNotShown, errNoPDF)
	}
	end, err := p.turns.take(ctx, who.User)
	if err != nil {
		return key, err
	}
	defer end()
	key = fileKey{page.Package, page.Document, g.Updated}
	content, err := p.Files.Read(ctx, key, func(ctx context.Context) (io.ReadCloser, error) {
		return p.Service.Platform.PDF(ctx, page.Package, page.Document)
	})
	if err != nil {
		return key, err
	}
	ok, err := reader(content)
	refusal, isRefused := errors.AsType[*pdf.Refusal](err)
	switch {
	case isRefused && refusal.Busy:
		return key, fault.Wrap(fault.ServerUnavailable, err)
	case isRefused:
		if p.isSettled(key) {
			p.known.mark(key, page.Number, refused)
		}
		return key, fault.Wrap(fault.DocumentNotShown, err)
	case err == nil && !ok:
		return key, fault.New(fault.RequestNotFound)
	}
	return key, err
}

// turns lets one request of a person at a time read a document. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	taken map[string]*turn
}

// turn is a person's; waiting counts the requests that hold it or wait for it.
type turn struct {
	free    chan struct{}
	waiting int
}

// take waits for the person's turn, and returns what ends it.
func (t *turns) take(ctx context.Context, person string) (end func(), err error) {
	t.mu.Lock()
	if t.taken == nil {
		t.taken = map[string]*turn{}
	}
	own := t.taken[person]
	if own == nil {
		own = &turn{free: make(chan struct{}, 1)}
		own.free <- struct{}{}
		t.taken[person] = own
	}
	own.waiting++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.waiting--; own.waiting == 0 {
			delete(t.taken, person)
		}
	}
	select {
	case <-own.free:
		return func() { own.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fault.Wrap(fault.RequestCancelled, ctx.Err())
	}
}
