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
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/wire"
)

// file is an answer with a file's content, in ranges if requested, and with the name to
// save it under.
type file struct {
	name    string
	media   string
	content []byte
}

func (s *Server) fileRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getDocumentsZip", Method: get, Path: packagePath + "/documents/zip", Call: s.ofPackage(s.getDocumentsZip)},
		{Operation: "getDocumentPdf", Method: get, Path: documentPath + "/pdf", Call: s.ofDocument(s.getDocumentPDF), Admits: s.readsDocument},
		{Operation: "getDocumentOriginal", Method: get, Path: documentPath + "/original", Call: s.ofDocument(s.getDocumentOriginal)},
	}
}

// ServeHTTP answers with the file.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256(f.content)
	w.Header().Set("ETag", strconv.Quote(hex.EncodeToString(sum[:16])))
	w.Header().Set("Content-Type", f.media)
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(f.name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

// documentContent is the content of a document: as uploaded, and as a PDF. A point of the PDF is
// scale units in the document's JSON; 0 stands for 1.
type documentContent struct {
	original, pdf []byte
	scale         float64
}

// inPoints converts a rectangle to the points of the document's PDF.
func (s documentContent) inPoints(r pdf.Rect) pdf.Rect { return scaled(r, 1/cmp.Or(s.scale, 1)) }

// toUnits converts the places found in the document's PDF to the units of its JSON.
func (s documentContent) toUnits(d pdf.Document) {
	by := cmp.Or(s.scale, 1)
	for i := range d.Pages {
		d.Pages[i].Width *= by
		d.Pages[i].Height *= by
	}
	for i := range d.Places {
		d.Places[i].Rect = scaled(d.Places[i].Rect, by)
	}
	for i := range d.Fields {
		d.Fields[i].Rect = scaled(d.Fields[i].Rect, by)
	}
}

func scaled(r pdf.Rect, by float64) pdf.Rect {
	return pdf.Rect{Left: r.Left * by, Top: r.Top * by, Width: r.Width * by, Height: r.Height * by}
}

// getDocumentPDF answers with the document and its signatures.
func (s *Server) getDocumentPDF(r *http.Request, p *pkg, d *document) (any, error) {
	content := s.shownFile(r.Context(), p, *d)
	if content == nil { // an external document
		return nil, unknown("document")
	}
	return file{name: fileName(*d), media: "application/octet-stream", content: content}, nil
}

// getDocumentOriginal answers with the document as uploaded.
func (s *Server) getDocumentOriginal(_ *http.Request, p *pkg, d *document) (any, error) {
	content := p.files[d.ID].original
	if content == nil {
		return nil, unknown("document")
	}
	return file{name: strings.TrimSuffix(fileName(*d), ".pdf") + extensionOf(content), media: "application/octet-stream", content: content}, nil
}

// getDocumentsZip answers with all documents of a package.
func (s *Server) getDocumentsZip(r *http.Request, p *pkg) (any, error) {
	var files []file
	for _, d := range p.Documents {
		if content := s.shownFile(r.Context(), p, d); content != nil {
			files = append(files, file{name: fileName(d), content: content})
		}
	}
	return archiveOf("documents.zip", files)
}

// archiveOf returns a zip of files. Of equal names, all but the first have a number.
func archiveOf(name string, files []file) (any, error) {
	var content bytes.Buffer
	archive := zip.NewWriter(&content)
	taken := map[string]bool{}
	for _, f := range files {
		entry, err := archive.Create(unusedName(f.name, taken))
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

// unusedName returns a name, with the first number with which it is not taken, in whichever case
// of letters, and takes it.
func unusedName(name string, taken map[string]bool) string {
	extension := path.Ext(name)
	free := name
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = strings.TrimSuffix(name, extension) + " (" + strconv.Itoa(n) + ")" + extension
	}
	taken[strings.ToLower(free)] = true
	return free
}

// shownFile returns a document with its signatures. Before there are any, the file of a
// sent package ends with the package's id, so that it differs from the uploaded one.
func (s *Server) shownFile(ctx context.Context, p *pkg, d document) []byte {
	content := s.signedFile(ctx, p, d)
	if content == nil || p.Status == draft || p.Type != typePackage || !bytes.Equal(content, p.files[d.ID].pdf) {
		return content
	}
	return append(slices.Clip(content), "% "+p.ID+"\n"...)
}

// fileName returns the document's name without characters that file systems refuse
// (docs/platform.md S8).
func fileName(d document) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*/\:<>|?"`, r) || r < ' ' {
			return '_'
		}
		return r
	}, d.Name)
	return strings.TrimSuffix(name, ".pdf") + ".pdf"
}
