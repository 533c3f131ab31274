package signing

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/pdf"
)

// file is an answer with the content of one: in ranges where asked for, and with
// the name that the person saves it under.
type file struct {
	name    string
	media   string
	content []byte
}

// ServeHTTP answers with the file.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256(f.content)
	w.Header().Set("ETag", strconv.Quote(hex.EncodeToString(sum[:16])))
	w.Header().Set("Content-Type", f.media)
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(f.name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// stored is the content of a document: as it was uploaded, and as a PDF, whose points
// are scale units each in the document's JSON; 0 is 1.
type stored struct {
	original, pdf []byte
	scale         float64
}

// inPoints is a place as the document's PDF measures.
func (s stored) inPoints(r pdf.Rect) pdf.Rect { return scaled(r, 1/cmp.Or(s.scale, 1)) }

// toUnits makes what was found in the document's PDF measure as its JSON does.
func (s stored) toUnits(d pdf.Document) {
	by := cmp.Or(s.scale, 1)
	for i := range d.Pages {
		d.Pages[i].Width *= by
		d.Pages[i].Height *= by
	}
	for i := range d.Places {
		d.Places[i].Rect = scaled(d.Places[i].Rect, by)
	}
	for i := range d.Matches {
		d.Matches[i].Place.Rect = scaled(d.Matches[i].Place.Rect, by)
	}
	for i := range d.Fields {
		d.Fields[i].Rect = scaled(d.Fields[i].Rect, by)
	}
}

func scaled(r pdf.Rect, by float64) pdf.Rect {
	return pdf.Rect{Left: r.Left * by, Top: r.Top * by, Width: r.Width * by, Height: r.Height * by}
}

// getDocumentPDF is the document with what has been signed in it.
func (s *Server) getDocumentPDF(r *http.Request) (any, error) {
	p, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	content := s.shownFile(r.Context(), p, d)
	if content == nil { // It is kept elsewhere.
		return nil, unknown("document")
	}
	return file{name: fileName(d), media: "application/octet-stream", content: content}, nil
}

// getDocumentOriginal is the document as it was uploaded.
func (s *Server) getDocumentOriginal(r *http.Request) (any, error) {
	p, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	content := p.files[d.ID].original
	if content == nil {
		return nil, unknown("document")
	}
	return file{name: strings.TrimSuffix(fileName(d), ".pdf") + extensionOf(content), media: "application/octet-stream", content: content}, nil
}

// getDocumentsZip has all documents of a package.
func (s *Server) getDocumentsZip(r *http.Request) (any, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, d := range p.Documents {
		if content := s.shownFile(r.Context(), p, d); content != nil {
			files = append(files, file{name: fileName(d), content: content})
		}
	}
	return archiveOf("documents.zip", files)
}

// archiveOf is a zip of files.
func archiveOf(name string, files []file) (any, error) {
	var content bytes.Buffer
	archive := zip.NewWriter(&content)
	for _, f := range files {
		entry, err := archive.Create(f.name)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return file{name: name, media: "application/zip", content: content.Bytes()}, nil
}

// shownFile is a document with what has been signed in it. Until something is, the
// file of a package that has been sent ends with the package's id, so that it differs
// from the one that was uploaded.
func (s *Server) shownFile(ctx context.Context, p *pkg, d document) []byte {
	content := s.signedFile(ctx, p, d)
	if content == nil || p.Status == draft || p.Type != typePackage || !bytes.Equal(content, p.files[d.ID].pdf) {
		return content
	}
	return append(slices.Clip(content), "% "+p.ID+"\n"...)
}

// fileName is the document's name without what file systems refuse (docs/platform.md S8).
func fileName(d document) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*/\:<>|?"`, r) || r < ' ' {
			return '_'
		}
		return r
	}, d.Name)
	return strings.TrimSuffix(name, ".pdf") + ".pdf"
}
