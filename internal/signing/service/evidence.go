package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/proofs"
)

var errDataBusy = errors.New("service: another change of the package's data has not ended")

// unavailable returns err as an outage: an error here must prevent opening the signing page.
func unavailable(err error) error {
	f := fault.From(err)
	if f.Row().Status == http.StatusServiceUnavailable || f.Key == fault.RequestCancelled {
		return err
	}
	return fault.Wrap(fault.PlatformUnavailable, err)
}

// keep writes the entries: to the audit trail, then to the package.
func (s *Service) keep(ctx context.Context, who access.Actor, at loadedPackage, entries []proofs.Entry) error {
	for _, e := range entries {
		text, err := json.Marshal(e)
		if err != nil {
			return unavailable(err)
		}
		event := audit.Event{Kind: audit.SigningOpened, Subject: at.ID, Proof: audit.Proof(text)}
		if err := who.RecordFirst(event); err != nil {
			return unavailable(err)
		}
	}
	own := at.Countersign
	own.Kept = s.Proofs.Keeper.Seal(at.ID, append(s.Proofs.Keeper.Open(at.ID, own.Kept), entries...), at.SignedAt)
	if err := s.write(ctx, at.Package, own); err != nil {
		return unavailable(err)
	}
	s.Hint(ctx, Topic(at.ID))
	return nil
}

// write stores Countersign's own data with the package at.
func (s *Service) write(ctx context.Context, at signing.Package, own signing.CountersignData) error {
	changes, err := at.WithCountersign(own)
	if err != nil {
		return err
	}
	return s.Platform.Change(ctx, at.ID, changes)
}

// maxHashed limits the documents of a package that are hashed at once.
const maxHashed = 4

// hashInto completes entries with the hashes of the documents that each role sees, as the
// platform serves them now. Where the index does not know who sees what, the platform is asked.
func (s *Service) hashInto(ctx context.Context, at loadedPackage, g index.Grant, entries []proofs.Entry) error {
	sees := func(document, role string) bool { return g.RoleSees(document, role) }
	if !g.KnowsVisibilityOf(at.Package) {
		visibility, err := s.Platform.Visibility(ctx, at.ID)
		if err != nil {
			return unavailable(err)
		}
		sees = func(document, role string) bool { return visibility.Sees(document, []string{role}) }
	}
	for i := range entries {
		var seen []proofs.Document
		for _, d := range at.Documents {
			if d.ID != signing.ConsentDocument && sees(d.ID, entries[i].Role) {
				seen = append(seen, proofs.Document{ID: d.ID})
			}
		}
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(maxHashed)
		for j := range seen {
			g.Go(func() (err error) {
				seen[j].SHA256, err = s.hash(ctx, at, seen[j].ID)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return unavailable(err)
		}
		entries[i].SetDocuments(seen)
	}
	return nil
}

// hash returns SHA-256 of a document's PDF.
func (s *Service) hash(ctx context.Context, at loadedPackage, document string) (string, error) {
	updated := at.Updated.Time
	key := fileKey{at.ID, document, updated.Format(time.RFC3339Nano)}
	if sum, ok := s.Proofs.hashes.get(key); ok {
		return sum, nil
	}
	asked := s.Proofs.Now()
	file, err := s.Platform.PDF(ctx, at.ID, document)
	if err != nil {
		return "", err
	}
	defer file.Close()
	start, err := io.ReadAll(io.LimitReader(file, maxBeforePDF))
	if err == nil && !bytes.Contains(start, []byte("%PDF-")) {
		err = fault.Wrap(fault.PlatformFailed, errNoDocument)
	}
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	sum.Write(start)
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	text := hex.EncodeToString(sum.Sum(nil))
	// The platform dates updates in whole seconds: one of a moment ago may not be the last.
	if !updated.IsZero() && asked.Sub(updated) >= settled {
		s.Proofs.hashes.put(key, text)
	}
	return text, nil
}

var errNoDocument = errors.New("service: a document is not a PDF")

// maxBeforePDF limits the bytes before the first mark of a PDF, as readers of PDFs do.
const maxBeforePDF = 1024

// maxHashes limits the hashes that a node remembers.
const maxHashes = 4096

// hashes remembers the hashes of documents, each as of an update of its package. The zero
// value is ready.
type hashes struct {
	mu    sync.Mutex
	known map[fileKey]string
	order []fileKey
}

func (h *hashes) get(key fileKey) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sum, ok := h.known[key]
	return sum, ok
}

func (h *hashes) put(key fileKey, sum string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[fileKey]string{}
	}
	if _, ok := h.known[key]; !ok {
		h.order = append(h.order, key)
	}
	h.known[key] = sum
	for len(h.order) > maxHashes {
		delete(h.known, h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
}
