package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/request"
	"countersign/session"
	"countersign/static"
	"countersign/web/reference"
)

// apiReference is the page of the API reference. It has nothing of the person who reads it, so
// it is made once for each language, when it is first asked for.
type apiReference struct {
	page       func() (reference.Page, error)
	byLanguage map[string]func() (renderedPage, error)
}

// renderedPage is a page, plain and compressed, with the tag of its content.
type renderedPage struct {
	plain, zipped []byte
	tag           string
}

var referencePage = page.For[reference.Page]("reference")

func newAPIReference(e *edge) *apiReference {
	r := &apiReference{byLanguage: map[string]func() (renderedPage, error){}}
	r.page = sync.OnceValues(func() (reference.Page, error) {
		whole, err := document()
		if err != nil {
			return reference.Page{}, err
		}
		return reference.New(whole.For(e.PublicOrigin, session.CookieName(e.https)))
	})
	for _, language := range e.Bundle.Languages() {
		r.byLanguage[language] = sync.OnceValues(func() (renderedPage, error) {
			shown, err := r.page()
			if err != nil {
				return renderedPage{}, err
			}
			var out bytes.Buffer
			shown.Language, shown.Path = language, reference.Path
			if err := e.Renderer.Templates.Write(&out, "reference", shown); err != nil {
				return renderedPage{}, err
			}
			sum := sha256.Sum256(out.Bytes())
			return renderedPage{out.Bytes(), static.Compress(out.Bytes()), hex.EncodeToString(sum[:8])}, nil
		})
	}
	return r
}

// longestQuery is how much of a search is read, in bytes.
const longestQuery = 100

// showReference answers GET /docs/api, with ?q= for a search.
func (e *edge) showReference(c *gin.Context) error {
	c.Header("Content-Security-Policy", pagePolicy(e.PublicOrigin+e.Assets.URL("reference.js")))
	language := e.Bundle.For(request.From(c).Language).Tag()
	if query := c.Query("q"); query != "" {
		return e.searchReference(c, language, strings.ToValidUTF8(query[:min(len(query), longestQuery)], ""))
	}
	whole, err := e.reference.byLanguage[language]()
	if err != nil {
		return err
	}
	content, tag := whole.plain, whole.tag
	if static.AcceptsGzip(c.Request.Header.Values("Accept-Encoding")) {
		content, tag = whole.zipped, whole.tag+"-gzip"
		c.Header("Content-Encoding", "gzip")
	}
	c.Header("Cache-Control", "public, max-age=300, "+request.Untransformed)
	c.Header("Vary", "Accept-Encoding, Accept-Language, Cookie")
	c.Header("ETag", `"`+tag+`"`)
	c.Header("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(content))
	return nil
}

// searchReference answers with what a search finds.
func (e *edge) searchReference(c *gin.Context, language, query string) error {
	found, err := e.reference.page()
	if err != nil {
		return err
	}
	found.Language, found.Path = language, reference.Path
	found.Search(query)
	return referencePage.Show(c, e.Renderer, http.StatusOK, found)
}
