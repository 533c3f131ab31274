package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/proofs"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var (
	missingTemplate = page.For[templates.MissingProofs]("package-sign")
	proofsTemplate  = page.For[templates.PackageProofs]("package-proofs")
)

// signingPage leads people to the platform's signing page, and says what they have to prove
// before.
type signingPage struct{ Packages }

func (p signingPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/:id/sign", Serve: p.sign},
		{Method: http.MethodGet, Path: "/packages/:id/proofs", Serve: p.proofs},
	}
}

// sign answers GET /packages/{id}/sign with a redirect to the platform's signing page, by an
// address that counts once; with a page that says which proof is missing; or, if the person
// cannot sign now, with a redirect to the package's page, which says why. A HEAD opens
// nothing, and a browser that loads pages ahead is refused.
func (p signingPage) sign(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	if c.Request.Method == http.MethodHead {
		return page.SeeOther(c, packagePath(c.Param("id")), "")
	}
	if loadsAhead(c.Request) {
		return fault.New(fault.RequestPrefetch)
	}
	o, address, err := p.Service.OpenSigning(c.Request.Context(), who, c.Param("id"))
	switch {
	case fault.Is(err, fault.SigningProof) && !strings.Contains(c.GetHeader("Accept"), "json"):
		return p.missing(c, o, fault.From(err))
	case err != nil:
		return err
	case address == "":
		return page.SeeOther(c, packagePath(o.ID), "")
	}
	c.Header("Referrer-Policy", "no-referrer") // the address is a key
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// loadsAhead reports whether a browser asks for a page that nobody has opened yet (Fetch
// Metadata's Sec-Purpose, and the older headers).
func loadsAhead(r *http.Request) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if strings.Contains(strings.ToLower(r.Header.Get(name)), "prefetch") {
			return true
		}
	}
	return false
}

// missing shows which proofs are missing, and the way to the first of them and back.
func (p signingPage) missing(c *gin.Context, o service.Opened, refusal *fault.Error) error {
	_ = c.Error(refusal)
	v := templates.MissingProofs{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	for _, proof := range refusal.Proofs {
		v.Proofs = append(v.Proofs, templates.MissingProof(proof))
	}
	next := packagePath(o.ID) + "/sign"
	switch {
	case refusal.Action == fault.ActionSignIn:
		v.SignIn = "/login?" + url.Values{"again": {"yes"}, "next": {next}}.Encode()
	case p.Verifies:
		v.Verify = "/verifications/new?" + url.Values{"for": {"self"}, "next": {next}}.Encode()
	}
	return missingTemplate.Show(c, p.Renderer, refusal.Row().Status, v)
}

// proofs answers GET /packages/{id}/proofs: what the signatures stand on, to be printed.
func (p signingPage) proofs(c *gin.Context) error {
	_, o, err := p.open(c)
	if err != nil {
		return err
	}
	v := templates.PackageProofs{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	if v.Roles, err = p.evidence(c, o); err != nil {
		return err
	}
	for i := range v.Roles {
		v.Asks = v.Asks || v.Roles[i].Asks()
	}
	return proofsTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

// evidence returns what the signatures of a package stand on, as its pages show it.
func (p Packages) evidence(c *gin.Context, o service.Opened) (all []templates.SignatureEvidence, err error) {
	roles, err := p.Service.ProofsOf(c.Request.Context(), o)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, d := range o.Full.Documents {
		names[d.ID] = d.Name
	}
	for _, r := range roles {
		all = append(all, evidenceOf(r, names))
	}
	return all, nil
}

// asked returns those of the signatures of which a proof is asked; none if they cannot be
// told, which the log says.
func (p Packages) requirements(c *gin.Context, o service.Opened) []templates.SignatureEvidence {
	all, err := p.evidence(c, o)
	if err != nil {
		request.LogCause(c, err)
	}
	return slices.DeleteFunc(all, func(s templates.SignatureEvidence) bool { return !s.Asks() })
}

func evidenceOf(r service.RoleProofs, names map[string]string) templates.SignatureEvidence {
	s := templates.SignatureEvidence{Signer: r.Signer, State: string(r.State)}
	if r.Asked.Passkey != nil {
		s.Passkey = r.Asked.Passkey.MaxAge
	}
	if r.Asked.Identity != nil {
		s.Identity = r.Asked.Identity.MaxAge
	}
	if r.SignedAt != nil {
		s.SignedAt = *r.SignedAt
	}
	for _, e := range r.Kept {
		s.Kept = append(s.Kept, keptOf(e, names))
	}
	return s
}

// modelOf returns what is known of a passkey's model, the words for people first.
func modelOf(p proofs.Passkey) string {
	for _, told := range []*string{p.Provider, p.AAGUID, p.AAID} {
		if told != nil {
			return *told
		}
	}
	return ""
}

// kindOf returns the kind of a passkey; "" if it is not known. A key of UAF never leaves its
// device, also where an entry is too old to say so.
func kindOf(p proofs.Passkey) string {
	switch {
	case p.Kind != nil:
		return *p.Kind
	case p.AAID != nil:
		return proofs.DeviceBound
	}
	return ""
}

func keptOf(e proofs.Entry, names map[string]string) templates.KeptProof {
	k := templates.KeptProof{At: e.At, Email: e.Signer, DocumentsHash: e.DocumentsHash}
	if e.Passkey != nil {
		k.Passkey = &templates.KeptPasskey{Protocol: e.Passkey.Protocol, Model: modelOf(*e.Passkey), At: e.Passkey.At, Ceremony: e.Passkey.Ceremony}
		k.Passkey.Kind = kindOf(*e.Passkey)
	}
	if e.Identity != nil {
		k.Identity = &templates.KeptIdentity{Transaction: e.Identity.Transaction, Completed: e.Identity.Completed, Name: e.Identity.Name}
	}
	for _, d := range e.Documents {
		name := names[d.ID]
		if name == "" {
			name = d.ID
		}
		k.Documents = append(k.Documents, templates.KeptDocument{Name: name, SHA256: d.SHA256})
	}
	return k
}
