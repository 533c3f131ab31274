package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/proofs"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var (
	missingTemplate = page.For[missingView]("package-sign")
	proofsTemplate  = page.For[proofsView]("package-proofs")
)

// missingView is "/packages/{id}/sign" for a signer who lacks a proof that the package asks
// for. One of SignIn and Verify is the address that leads to it, and back to signing; both
// are "" where it cannot be had here.
type missingView struct {
	templates.Common
	ID, Name       string
	Proofs         []missingProof
	SignIn, Verify string
}

// Href returns the path of the package's page.
func (p missingView) Href() string { return packagePath(p.ID) }

// AddPasskey returns the path of the page that adds a passkey, and leads back to signing.
func (p missingView) AddPasskey() string { return page.AuthenticatorsPath(p.Href()+"/sign", "", "") }

// Missing returns how many of the proofs are missing.
func (p missingView) Missing() (n int) {
	for _, proof := range p.Proofs {
		if !proof.Met {
			n++
		}
	}
	return n
}

// Lacks reports whether a proof of that kind is missing for one of the reasons.
func (p missingView) Lacks(kind string, reasons ...string) bool {
	for _, proof := range p.Proofs {
		for _, reason := range reasons {
			if proof.Kind == kind && proof.Reason == reason {
				return true
			}
		}
	}
	return false
}

// missingProof is a proof that the package asks for, met or not.
type missingProof fault.Proof

// TextID returns the message id that says what is with the proof.
func (p missingProof) TextID() string {
	if p.Met {
		return proofIDs[p.Kind+" met"]
	}
	return proofIDs[p.Kind+" "+p.Reason]
}

// NameID returns the message id of the kind of proof.
func (p missingProof) NameID() string { return proofIDs[p.Kind] }

var proofIDs = map[string]string{
	"passkey":             "page.proofs.passkey",
	"passkey met":         "page.proofs.passkey.met",
	"passkey none":        "page.proofs.passkey.none",
	"passkey stale":       "page.proofs.passkey.stale",
	"passkey synced":      "page.proofs.passkey.synced",
	"passkey unknown":     "page.proofs.passkey.unknown",
	"identity":            "page.proofs.identity",
	"identity met":        "page.proofs.identity.met",
	"identity none":       "page.proofs.identity.none",
	"identity stale":      "page.proofs.identity.stale",
	"identity erased":     "page.proofs.identity.erased",
	"identity unnamed":    "page.proofs.identity.unnamed",
	"identity other-name": "page.proofs.identity.other-name",
	"identity failed":     "page.proofs.identity.failed",
}

// proofsView is "/packages/{id}/proofs", which is made to be printed.
type proofsView struct {
	templates.Common
	ID, Name string
	Roles    []evidence
	// Asks says that a proof is asked of one of them.
	Asks bool
}

// Href returns the path of the package's page.
func (p proofsView) Href() string { return packagePath(p.ID) }

// evidence lists the proofs behind the signature of a role. Passkey and Identity are the greatest
// allowed age of each proof, in seconds; 0 asks for none. SignedAt is zero until it is signed.
type evidence struct {
	Signer            string
	State             string
	Passkey, Identity int64
	SignedAt          time.Time
	Kept              []keptProof
}

// Asks reports whether a proof is asked.
func (s evidence) Asks() bool { return s.Passkey > 0 || s.Identity > 0 }

// StateID returns the message id of the state.
func (s evidence) StateID() string { return standIDs[s.State] }

var standIDs = map[string]string{
	"none":    "page.proofs.state-none",
	"waiting": "page.proofs.state-waiting",
	"met":     "page.proofs.state-met",
	"unmet":   "page.proofs.state-unmet",
}

// keptProof is a proof that was kept when the signing page opened.
type keptProof struct {
	proofs.Entry
	names map[string]string // of the documents, by their ids
}

// Model returns what is known of the passkey's model, the words for people first.
func (k keptProof) Model() string {
	for _, told := range []*string{k.Passkey.Provider, k.Passkey.AAGUID, k.Passkey.AAID} {
		if told != nil {
			return *told
		}
	}
	return ""
}

// Kind returns the kind of the passkey; "" if it is not known. A key of UAF never leaves its
// device, also where an entry is too old to say so.
func (k keptProof) Kind() string {
	switch {
	case k.Passkey.Kind != nil:
		return *k.Passkey.Kind
	case k.Passkey.AAID != nil:
		return proofs.DeviceBound
	}
	return ""
}

// DocumentName returns the name of a document, or its id.
func (k keptProof) DocumentName(id string) string { return cmp.Or(k.names[id], id) }

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
	v := missingView{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	for _, proof := range refusal.Proofs {
		v.Proofs = append(v.Proofs, missingProof(proof))
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
	v := proofsView{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	if v.Roles, err = p.evidence(c, o); err != nil {
		return err
	}
	for i := range v.Roles {
		v.Asks = v.Asks || v.Roles[i].Asks()
	}
	return proofsTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

// evidence returns what the signatures of a package stand on, as its pages show it.
func (p Packages) evidence(c *gin.Context, o service.Opened) (all []evidence, err error) {
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

// requirements returns those of the signatures of which a proof is asked; none if they cannot be
// told, which the log says.
func (p Packages) requirements(c *gin.Context, o service.Opened) []evidence {
	all, err := p.evidence(c, o)
	if err != nil {
		request.LogCause(c, err)
	}
	return slices.DeleteFunc(all, func(s evidence) bool { return !s.Asks() })
}

func evidenceOf(r service.RoleProofs, names map[string]string) evidence {
	s := evidence{Signer: r.Signer, State: string(r.State)}
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
		s.Kept = append(s.Kept, keptProof{e, names})
	}
	return s
}
