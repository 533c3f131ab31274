// Package templates renders the pages. A page is rendered in full before its first byte is
// sent, so that an error never follows half a page.
//
// A page is a file of this folder: it defines "title", "main" and, if it has any, "scripts"
// of the layout, or a whole "document". It decides nothing: its handler states in a struct
// what the page shows, with the methods that put it into words. Every text comes from the
// language files, with ids page.* for the pages and js.* for their scripts.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"strings"
	"sync"

	"countersign/internal/i18n"
	"countersign/internal/safetext"
	"countersign/static"
)

//go:embed *.html parts/*.html
var files embed.FS

// Options configure the pages.
type Options struct {
	Bundle *i18n.Bundle
	Assets *static.Assets
	// ChangePassword says that /.well-known/change-password leads to a page for changing
	// the password.
	ChangePassword bool
	// HelpURL is the page of the people who run the account, or empty.
	HelpURL string
	// Verifications says that identity verification is in use, Packages that signing
	// packages is.
	Verifications, Packages bool
	// Operator reports whether a user acts for the whole account.
	Operator func(user string) bool
}

// Pages writes every page. It is safe for concurrent use.
type Pages struct {
	bundle *i18n.Bundle
	assets *static.Assets
	// changePassword says that /.well-known/change-password leads to a page.
	changePassword bool
	helpURL        string
	verifications  bool
	packages       bool
	operator       func(user string) bool
	byName         map[string]parse
}

// New makes the pages. The templates of a page are parsed when it is first written:
// parsing all of them would prolong the start considerably. The tests write every page.
func New(o Options) *Pages {
	p := &Pages{bundle: o.Bundle, assets: o.Assets, changePassword: o.ChangePassword, helpURL: o.HelpURL, verifications: o.Verifications, packages: o.Packages, operator: o.Operator, byName: map[string]parse{}}
	names, _ := fs.Glob(files, "*.html") // the pattern is well formed
	for _, file := range names {
		name := strings.TrimSuffix(file, ".html")
		p.byName[name] = parsed(name)
	}
	return p
}

// parse returns the template of a page, parsed once.
type parse func() (*template.Template, error)

// parsed returns the template of the page name: the layout's document, unless the page's file
// defines its own.
func parsed(name string) parse {
	return sync.OnceValues(func() (*template.Template, error) {
		t, err := template.New(name+".html").Funcs(template.FuncMap{"isolate": safetext.Isolate}).ParseFS(files, "parts/*.html", name+".html")
		if err != nil {
			return nil, err
		}
		return t.Lookup("document"), nil
	})
}

// Page is what a page shows: a struct that embeds Common.
type Page interface{ common() Common }

func (c Common) common() Common { return c }

// View returns the texts of a page without its content.
func (p *Pages) View(c Common) View {
	return View{Common: c, printer: p.bundle.For(c.Language), pages: p}
}

// Write writes the page of the file name.html. On an error it has written nothing.
func (p *Pages) Write(w io.Writer, name string, page Page) error {
	parse, ok := p.byName[name]
	if !ok {
		return fmt.Errorf("templates: %s: no such page", name)
	}
	t, err := parse()
	if err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	var out bytes.Buffer
	v := p.View(page.common())
	v.Page = page
	if err := t.Execute(&out, v); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	if _, err := w.Write(withElements(out.Bytes())); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	return nil
}
