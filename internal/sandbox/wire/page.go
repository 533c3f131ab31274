package wire

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
)

// Page is a page for people.
type Page struct {
	Template *template.Template
	Data     any
	Policy   string // Content-Security-Policy
	Language string // may be ""
	Status   int    // 0 stands for 200
}

// ServeHTTP answers with the page, or with the platform's error if the page cannot be
// rendered.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	if err := p.Template.Execute(&text, p.Data); err != nil {
		WriteError(w, AsError(err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	if p.Language != "" {
		header.Set("Content-Language", p.Language)
	}
	header.Set("Content-Length", strconv.Itoa(text.Len()))
	header.Set("Content-Security-Policy", p.Policy)
	header.Set("Cache-Control", "no-store")
	if p.Status != 0 {
		w.WriteHeader(p.Status)
	}
	_, _ = w.Write(text.Bytes()) // fails only if the client went away
}

// Assets returns a call that answers with the style sheet, the script or the icon of the path's
// {asset}, out of the folder assets of files.
func Assets(files fs.FS) Call {
	return func(r *http.Request) (any, error) {
		name := r.PathValue("asset")
		media := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}[path.Ext(name)]
		content, err := fs.ReadFile(files, "assets/"+path.Base(name))
		if err != nil || media == "" {
			return nil, Refuse(http.StatusNotFound, http.StatusText(http.StatusNotFound))
		}
		return Raw{Media: media + "; charset=utf-8", Body: content}, nil
	}
}
