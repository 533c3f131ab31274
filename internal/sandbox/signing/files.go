package signing

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
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

// stored is the content of a document: as it was uploaded, and as a PDF.
type stored struct{ original, pdf []byte }

// getDocumentPDF is the document with what has been signed in it.
func (s *Server) getDocumentPDF(r *http.Request) (any, error) {
	p, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	content := s.signedFile(r.Context(), p, d)
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

// getDocumentsZip has all documents of a package that is completed.
func (s *Server) getDocumentsZip(r *http.Request) (any, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	if p.Status != completed && p.Status != archived {
		return nil, invalidState("The package is not completed.")
	}
	var content bytes.Buffer
	archive := zip.NewWriter(&content)
	for _, d := range p.Documents {
		signed := s.signedFile(r.Context(), p, d)
		if signed == nil {
			continue
		}
		entry, err := archive.Create(fileName(d))
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(signed); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return file{name: "documents.zip", media: "application/zip", content: content.Bytes()}, nil
}

// fileName is the document's name without what file systems refuse (signing
// facts, 4).
func fileName(d document) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*/\:<>|?"`, r) || r < ' ' {
			return '_'
		}
		return r
	}, d.Name)
	return strings.TrimSuffix(name, ".pdf") + ".pdf"
}
