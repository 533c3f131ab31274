package signing

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/wire"
)

//go:embed assets
var assets embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.html").Funcs(template.FuncMap{"isolate": isolate}).ParseFS(assets, "assets/page.html"))
})

// page is a page for a signer or a sender. It works without scripts, except for drawing
// signatures.
type page struct {
	Title, From  string
	Message      string // the sender's; it says who asks
	Notice, Hint string
	Language     string
	Words        words
	Documents    []pageDocument
	Finished     bool              // the documents are final
	Consent      *pageDocument     // to be accepted
	Document     *documentView     // to be read or signed
	Asked        []requirementView // to be attached
	Finish       bool
	MayDecline   bool
	Declining    bool
	MayPassOn    bool
	PassOn       *substitute // to be named
	Alerts       bool        // an entered value is wrong
	Home         string      // the link at the end
	status       int
}

func (s *Server) pageRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "viewDocument", Method: get, Path: "/transaction/{package}/documents/{document}", Call: s.ofDocument(s.showViewed), Admits: s.readsDocument},
		{Operation: "viewPage", Method: get, Path: "/transaction/{package}/documents/{document}/pages/{page}", Call: s.ofDocument(s.showPageOf), Admits: s.readsDocument},
		{Operation: "getPageAsset", Method: get, Path: "/signing/{asset}", Call: wire.Assets(assets), Admits: anybody},
	}
}

// Mark returns the visible mark of a required field; every field has one, because
// conditions may make it required.
func (p page) Mark(required bool) any {
	return struct {
		Word     string
		Required bool
	}{p.Words["required"], required}
}

// JSON encodes a value for the page's script.
func (page) JSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

type pageDocument struct {
	Name, Link string
	Signed     bool
}

// page returns an empty page in the visitor's language.
func (v visitor) page(title string) page {
	return page{Title: title, Language: v.language, Words: v.words}
}

// refused returns a page that only shows the reason why there is no other.
func (v visitor) refused(title, notice string) page {
	p := v.page(v.words[title])
	p.Notice, p.status = v.words[notice], http.StatusForbidden
	return p
}

// expiredPage returns the page for a session that has ended.
func expiredPage(r *http.Request) page { return visitorOf(r, party{}, "").refused("ended", "again") }

// ServeHTTP answers with the page.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wire.Page{
		Template: pageTemplate(), Data: p, Status: p.status, Language: p.Language,
		Policy: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'",
	}.ServeHTTP(w, r)
}

// showViewed answers with a document for the browser's own viewer.
func (s *Server) showViewed(r *http.Request, p *pkg, d *document) (any, error) {
	content := s.signedFile(r.Context(), p, *d)
	if content == nil {
		return nil, unknown("document")
	}
	return wire.Raw{Media: "application/pdf", Body: content}, nil
}

// pictureWidths are the widths of pages' pictures in pixels, by the parameter that asks for one.
var pictureWidths = map[string]int{"400": 400, "800": 800, "1600": 1600}

// showPageOf answers with a page of a document as the signer sees it: the picture for 3.png,
// its text for 3.txt.
func (s *Server) showPageOf(r *http.Request, p *pkg, d *document) (any, error) {
	digits, kind, _ := strings.Cut(r.PathValue("page"), ".")
	number, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(number) != digits || number < 1 || kind != "png" && kind != "txt" || s.pdf == nil {
		return nil, unknown("page")
	}
	content := s.signedFile(r.Context(), p, *d)
	var found bool
	var out wire.Raw
	if kind == "txt" {
		var text string
		text, found, err = s.pdf.Text(r.Context(), content, number-1)
		out = wire.Raw{Media: "text/plain; charset=utf-8", Body: []byte(text)}
	} else {
		var picture pdf.Picture
		picture, found, err = s.pdf.Draw(r.Context(), content, number-1, cmp.Or(pictureWidths[r.URL.Query().Get("width")], pictureWidthShown))
		out = wire.Raw{Media: "image/png", Body: picture.PNG}
	}
	switch _, refused := errors.AsType[*pdf.Refusal](err); {
	case refused:
		return nil, wire.Refuse(http.StatusUnprocessableEntity, "The page cannot be shown.")
	case err != nil:
		return nil, err
	case !found:
		return nil, unknown("page")
	}
	return out, nil
}
