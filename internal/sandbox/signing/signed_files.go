package signing

import (
	"context"

	"countersign/internal/pdf"
	sandboxpdf "countersign/internal/sandbox/pdf"
)

// writtenFile is a document with its signatures, valid for one state of its package.
type writtenFile struct {
	of      *pkg
	content []byte
}

// signedFile returns a document's PDF with the signatures so far, or nil for an external
// document. A file that cannot be written stays unchanged.
func (s *Server) signedFile(ctx context.Context, p *pkg, d document) []byte {
	content := p.files[d.ID].pdf
	marks := p.marks(d)
	if s.pdf == nil || len(marks) == 0 || content == nil || !hasPages(content) {
		return content
	}
	key := p.ID + "/" + d.ID
	if written, ok := s.written.find(key); ok && written.of == p {
		return written.content
	}
	written, err := sandboxpdf.Write(ctx, s.pdf, content, marks)
	if err != nil {
		return content
	}
	s.written.keep(key, writtenFile{p, written})
	return written
}

// marks returns the marks of a document's signed approvals.
func (p *pkg) marks(d document) []sandboxpdf.Mark {
	var marks []sandboxpdf.Mark
	for _, a := range d.Approvals {
		if a.Signed == nil {
			continue
		}
		by := p.signedFor(a.Role, d.ID)
		for _, f := range a.Fields {
			m := f.mark(by)
			if m.Text == "" && len(m.Strokes) == 0 {
				continue
			}
			m.Page, m.Rect = f.Page, p.files[d.ID].inPoints(f.rect())
			if d.Extract && f.Extract {
				m.Field = f.Name
			}
			marks = append(marks, m)
		}
	}
	return marks
}

// The default sizes of fields, in points; the signatures' is the SDKs'.
const (
	signatureWidth, signatureHeight = 200, 50
	inputWidth, inputHeight         = 150, 20
)

func (f field) rect() pdf.Rect {
	r := pdf.Rect{Left: f.Left, Top: f.Top, Width: f.Width, Height: f.Height}
	width, height := float64(inputWidth), float64(inputHeight)
	if f.Type == typeSignature {
		width, height = signatureWidth, signatureHeight
	}
	if r.Width <= 0 {
		r.Width = width
	}
	if r.Height <= 0 {
		r.Height = height
	}
	return r
}

// mark returns the mark of a signed field: a signature, or the value.
func (f field) mark(by signer) sandboxpdf.Mark {
	if f.Type != typeSignature {
		return sandboxpdf.Mark{Text: or(f.Value)}
	}
	m := sandboxpdf.Mark{Signature: true, Text: f.signatureOf(by)}
	if strokes, ok := parseDrawing(or(f.Value)); ok {
		m.Text, m.Strokes = "", strokes
	} else if typed := or(f.Value); typed != "" {
		m.Text = typed
	}
	return m
}

// signatureOf returns the text of a signature if nothing is typed: the name, or its
// initials.
func (f field) signatureOf(by signer) string {
	if f.Subtype == "INITIALS" || f.Subtype == "CHOOSE_INITIALS" {
		return by.initials()
	}
	return by.Name
}

func (s signer) initials() string {
	var initials []rune
	for _, name := range []string{s.FirstName, s.LastName} {
		if letters := []rune(name); len(letters) > 0 {
			initials = append(initials, letters[0])
		}
	}
	return string(initials)
}
