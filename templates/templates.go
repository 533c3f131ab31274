// Package templates writes the pages: one typed method each, on HTML templates that are
// parsed once. A page is rendered in full before its first byte is sent, so that an error
// never follows half a page.
//
// It decides nothing: its callers state in the page's struct what the page shows. Every
// text comes from the language files, with ids page.* for the pages and js.* for their
// scripts.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"countersign/internal/i18n"
	"countersign/internal/safetext"
	"countersign/static"
)

//go:embed *.html
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
	for _, name := range []string{"home", "signin", "authenticators", "account", "error", "verifications", "verification-new", "verification", "verification-finished", "packages", "package", "package-audit", "package-sign", "package-proofs", "package-new", "package-delete", "recipient", "custom-fields", "people", "person"} {
		p.byName[name] = parsed("layout", append([]string{"layout.html", name + ".html"}, furtherFiles[name]...)...)
	}
	for _, name := range []string{"interstitial", "other-host"} {
		p.byName[name] = parsed(name, name+".html")
	}
	return p
}

// furtherFiles are the files of pages that have several.
var furtherFiles = map[string][]string{
	"account": {"session.html"}, "person": {"session.html"}, "package-new": {"package-fields.html", "sending.html"},
}

// parse returns the template of a page, parsed once.
type parse func() (*template.Template, error)

// parsed returns the template root of the files names.
func parsed(root string, names ...string) parse {
	return sync.OnceValues(func() (*template.Template, error) {
		t, err := template.New(root).Funcs(template.FuncMap{"isolate": safetext.Isolate}).ParseFS(files, names...)
		if err != nil {
			return nil, err
		}
		return t.Lookup(root), nil
	})
}

// Home writes the start page, "/".
func (p *Pages) Home(w io.Writer, page Home) error {
	return p.write(w, "home", page.Common, page)
}

// SignIn writes "/login", either of its steps.
func (p *Pages) SignIn(w io.Writer, page SignIn) error {
	return p.write(w, "signin", page.Common, page)
}

// Authenticators writes "/authenticators".
func (p *Pages) Authenticators(w io.Writer, page Authenticators) error {
	return p.write(w, "authenticators", page.Common, page)
}

// Account writes "/account".
func (p *Pages) Account(w io.Writer, page Account) error {
	return p.write(w, "account", page.Common, page)
}

// Error writes the page that a failed navigation gets, and the help page of an
// error, "/errors/{key}".
func (p *Pages) Error(w io.Writer, page Error) error {
	return p.write(w, "error", page.Common, page)
}

// Interstitial writes the page that names its own path again, so that the next
// request comes from this site and carries the Strict cookie.
func (p *Pages) Interstitial(w io.Writer, page Interstitial) error {
	return p.write(w, "interstitial", page.Common, page)
}

// OtherHost writes the page that leads from another host name to ours.
func (p *Pages) OtherHost(w io.Writer, page OtherHost) error {
	return p.write(w, "other-host", page.Common, page)
}

func (p *Pages) write(w io.Writer, name string, common Common, page any) error {
	var out bytes.Buffer
	v := view{Common: common, Page: page, printer: p.bundle.For(common.Language), pages: p}
	t, err := p.byName[name]()
	if err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	if err := t.Execute(&out, v); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	if _, err := w.Write(withElements(out.Bytes())); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	return nil
}
