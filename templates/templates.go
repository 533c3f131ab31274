// Package templates writes the pages: one typed method each, on HTML templates
// that are parsed once, at start, and that fail there if they are wrong. A page
// is written in full before its first byte is sent, so that an error never
// follows half a page.
//
// It decides nothing: who may see what, and what happened, its callers say in
// the page's struct. Every word comes from the language files, ids page.* for
// the pages themselves, js.* for their scripts.
package templates

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"

	"countersign/internal/i18n"
	"countersign/static"
)

//go:embed *.html
var files embed.FS

// Options are what pages are made from.
type Options struct {
	Bundle *i18n.Bundle
	Assets *static.Assets
	// ChangePassword says that there is a page to change the password on, which
	// /.well-known/change-password leads to.
	ChangePassword bool
	// HelpURL is the page of the people who run the account; empty where they have none.
	HelpURL string
	// Verifications says that identities are verified here, Packages that packages are
	// signed.
	Verifications, Packages bool
	// Operator reports whether a user acts for the whole account; it is required where
	// packages are signed.
	Operator func(user string) bool
}

// Pages writes every page. It is safe for concurrent use.
type Pages struct {
	bundle *i18n.Bundle
	assets *static.Assets
	// changePassword says that /.well-known/change-password leads somewhere.
	changePassword bool
	helpURL        string
	verifications  bool
	packages       bool
	operator       func(user string) bool
	byName         map[string]*template.Template
}

// New parses all templates and writes each page once, empty and to nobody: a
// template that names what is not there fails now, not at the first visit.
func New(o Options) (*Pages, error) {
	p := &Pages{bundle: o.Bundle, assets: o.Assets, changePassword: o.ChangePassword, helpURL: o.HelpURL, verifications: o.Verifications, packages: o.Packages, operator: o.Operator, byName: map[string]*template.Template{}}
	for _, name := range []string{"home", "signin", "authenticators", "account", "error", "verifications", "verification-new", "verification", "packages", "package", "package-audit", "package-new", "recipient", "custom-fields"} {
		t, err := template.ParseFS(files, "layout.html", name+".html")
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		p.byName[name] = t.Lookup("layout")
	}
	t, err := template.ParseFS(files, "interstitial.html")
	if err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	p.byName["interstitial"] = t.Lookup("interstitial")
	return p, p.renderAll()
}

// renderAll writes each page once, so that a template that does not fit its page fails
// at the start.
func (p *Pages) renderAll() error {
	return errors.Join(
		p.Home(io.Discard, Home{}),
		p.SignIn(io.Discard, SignIn{}),
		p.SignIn(io.Discard, SignIn{User: "someone", Push: true}),
		p.Authenticators(io.Discard, Authenticators{}),
		p.Account(io.Discard, Account{}),
		p.Account(io.Discard, Account{ActivationPassword: "0", StepUp: true}),
		p.Error(io.Discard, Error{}),
		p.Verifications(io.Discard, Verifications{}),
		p.NewVerification(io.Discard, NewVerification{}),
		p.Verification(io.Discard, Verification{Active: true}),
		p.Packages(io.Discard, Packages{Tab: TabToSign}),
		p.Recipient(io.Discard, Recipient{}),
		p.NewPackage(io.Discard, NewPackage{
			Recipients: []ComposedRecipient{{}}, Documents: []ComposedDocument{{Pages: []ComposedPage{{Fields: []ComposedField{{}}}}}}, Fields: []ComposedField{{}},
		}),
		p.Package(io.Discard, Package{Active: true}),
		p.PackageAudit(io.Discard, PackageAudit{}),
		p.CustomFields(io.Discard, CustomFields{Form: &CustomFieldForm{Translations: []Translation{{}}}}),
		p.Interstitial(io.Discard, Interstitial{}),
	)
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

func (p *Pages) write(w io.Writer, name string, common Common, page any) error {
	var out bytes.Buffer
	v := view{Common: common, Page: page, printer: p.bundle.For(common.Language), pages: p}
	if err := p.byName[name].Execute(&out, v); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	if _, err := out.WriteTo(w); err != nil {
		return fmt.Errorf("templates: %s: %w", name, err)
	}
	return nil
}
