package signing

import (
	"embed"
	"html/template"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

//go:embed assets
var assets embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/page.html"))
})

// page is what a signer or a sender sees. It works without scripts but for the
// drawing of signatures.
type page struct {
	Title, From  string
	Message      string // the sender's; it says who asks
	Notice, Hint string
	Language     string
	Words        words
	Documents    []pageDocument
	Finished     bool          // the documents are as they stay
	Consent      *pageDocument // to be accepted
	Document     *documentView // to be read or signed
	Asked        []askedView   // to be attached
	Finish       bool
	MayDecline   bool
	Declining    bool
	Alerts       bool   // something that was entered is wrong
	Home         string // where it ends
	status       int
}

// Mark is what marks a required field for eyes; it is there for every field, because
// conditions may make it required.
func (p page) Mark(required bool) any {
	return struct {
		Word     string
		Required bool
	}{p.Words["required"], required}
}

// JSON is for the page's script.
func (page) JSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

type pageDocument struct {
	Name, Link string
	Signed     bool
}

// page is an empty one in the visitor's language.
func (v visitor) page(title string) page {
	return page{Title: title, Language: v.language, Words: v.words}
}

// refused is a page that says no more than why there is none.
func (v visitor) refused(title, notice string) page {
	p := v.page(v.words[title])
	p.Notice, p.status = v.words[notice], http.StatusForbidden
	return p
}

// expiredPage is of a session that has ended.
func expiredPage(r *http.Request) page { return visitorOf(r, party{}, "").refused("ended", "again") }

// ServeHTTP answers with the page.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wire.Page{
		Template: pageTemplate(), Data: p, Status: p.status, Language: p.Language,
		Policy: "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'; object-src 'self'; form-action 'self'; base-uri 'none'",
	}.ServeHTTP(w, r)
}

// showAsset is the style or the script of the pages.
func (s *Server) showAsset(r *http.Request) (any, error) {
	if asset := wire.Asset(assets, r.PathValue("asset")); asset != nil {
		return asset, nil
	}
	return nil, unknown("asset")
}

// showViewed is a document for the browser's own viewer.
func (s *Server) showViewed(r *http.Request) (any, error) {
	p, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	content := s.signedFile(r.Context(), p, d)
	if content == nil {
		return nil, unknown("document")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		w.Header().Set("Content-Disposition", "inline")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(content) //nolint:gosec // It is a PDF, and said to be one.
	}), nil
}
