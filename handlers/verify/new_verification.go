package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/verification"
	"countersign/internal/verification/service"
	"countersign/templates"
)

var newTemplate = page.For[newView]("verification-new")

// newView is "/verifications/new". Its form posts multipart there, with once, self,
// first_name, last_name, email, phone, dob, country and the file document.
type newView struct {
	templates.Common
	// Typed holds the typed values, and Wrong their errors, by field.
	Typed, Wrong map[string]string
	Countries    []i18n.Country
	// Once tells this form from every other, so that it starts one verification.
	Once string
	// Next is the page to go on to after verifying oneself; or "".
	Next string
	// Ticket names the person of the form, should the session end before it is sent, and
	// Mark a form that was kept so, "" for none.
	Ticket, Mark string
}

// entry is one input of the form. HintID may be "".
type entry struct {
	Name, Type, LabelID, HintID string
	Required                    bool
	Typed, Wrong                string
	// First says that it is the first input with an error.
	First bool

	pointer string // its place in the payload
}

// entries are the inputs of the form, in order.
var entries = []entry{
	{Name: "first_name", Type: "text", Required: true, LabelID: "page.verification-new.first-name", pointer: "/users/0/first_name"},
	{Name: "last_name", Type: "text", Required: true, LabelID: "page.verification-new.last-name", pointer: "/users/0/last_name"},
	{Name: "email", Type: "email", LabelID: "page.verification-new.email", pointer: "/users/0/emails/0"},
	{Name: "phone", Type: "tel", LabelID: "page.verification-new.phone", HintID: "page.verification-new.phone-hint", pointer: "/users/0/phone_number"},
	{Name: "dob", Type: "date", LabelID: "page.verification-new.dob", pointer: "/users/0/dob"},
	{Name: "country", LabelID: "page.verification-new.country", pointer: "/users/0/address/country_code"},
	{Name: "document", LabelID: "page.verification-new.document", pointer: "/documents/0/content"},
}

// Entry returns the input of that name with what was typed.
func (v newView) Entry(name string) entry {
	i := slices.IndexFunc(entries, func(e entry) bool { return e.Name == name })
	first := slices.IndexFunc(entries, func(e entry) bool { return v.Wrong[e.Name] != "" })
	e := entries[i]
	e.Typed, e.Wrong, e.First = v.Typed[name], v.Wrong[name], i == first
	return e
}

// newVerificationPage is the page on which a person starts an identity verification.
type newVerificationPage struct{ Verifications }

func (p newVerificationPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/verifications/new", Serve: p.get},
		{Method: http.MethodPost, Path: "/verifications/new", Kind: page.Form, KeepExpired: p.keepExpired, Serve: p.post},
	}
}

// get answers GET /verifications/new.
func (p newVerificationPage) get(c *gin.Context) error {
	if _, err := p.starter(c); err != nil {
		return err
	}
	typed := p.Recovery.Restored(c)
	if typed != nil {
		typed["next"], typed["left"] = page.SigningPath(typed["next"]), p.Recovery.Mark(c)
		return p.show(c, typed, nil)
	}
	typed = map[string]string{"next": page.SigningPath(c.Query("next"))}
	if c.Query("for") == "self" {
		typed["self"] = "yes"
	}
	return p.show(c, typed, nil)
}

// keepExpired keeps a form that was submitted after the session expired, as FormRecovery does,
// but without its document.
func (p newVerificationPage) keepExpired(c *gin.Context) error {
	if !p.Recovery.Expired(c) {
		return nil
	}
	typed, document, err := readNewVerification(c.Request)
	if err != nil {
		return nil //nolint:nilerr // without a form to keep, the person just signs in
	}
	notice := page.NoticeNotDone
	if document != nil {
		notice = page.NoticePackageFilesAgain
	}
	p.Recovery.Keep(c, c.Request.PostFormValue("ticket"), typed, notice)
	return nil
}

// verificationPath returns the path of a verification's page, which leads on to next.
func verificationPath(id, next string) string {
	path := verificationsPath + "/" + id
	if next != "" {
		path += "?" + url.Values{"next": {next}}.Encode()
	}
	return path
}

// post answers POST /verifications/new. The same form, sent twice, starts only one
// verification.
func (p newVerificationPage) post(c *gin.Context) error {
	who, err := p.starter(c)
	if err != nil {
		return err
	}
	typed, document, err := readNewVerification(c.Request)
	if err != nil {
		return err
	}
	payload, err := json.Marshal(p.payload(typed, document), json.Deterministic(true))
	if err != nil {
		return p.show(c, typed, fault.Wrap(fault.RequestMalformed, err)) // a text is not valid UTF-8
	}
	start := service.Start{Payload: bytes.NewReader(payload), Self: typed["self"] == "yes"}
	if once := c.Request.PostFormValue("once"); once != "" {
		start.Key, start.Wait = keyOf(once, typed["self"]+" "+string(payload)), startWait
	}
	t, replayed, err := p.Service.Start(c.Request.Context(), who, start)
	switch {
	case fault.Is(err, fault.RequestIdempotencyBusy): // the verification will be in the list
		return page.SeeOther(c, verificationsPath, "")
	case err != nil && !replayed:
		return p.show(c, typed, err)
	}
	p.once(c).Spend()
	p.Recovery.Forget(c, typed["left"]) // what is erased leaves nothing of a person
	if err != nil {
		return err
	}
	return page.SeeOther(c, verificationPath(t.ID, typed["next"]), "")
}

func (p newVerificationPage) once(c *gin.Context) page.FormToken {
	return page.FormTokenOf(c, verificationsPath, p.PublicOrigin)
}

// keyOf returns the idempotency key of a form: a hash of its once-token and what was
// typed. The space in it keeps it apart from clients' keys, which contain none.
func keyOf(once, typed string) string {
	sum := sha256.Sum256([]byte(once + " " + typed))
	return "form " + hex.EncodeToString(sum[:])
}

// starter returns the person who asks, or an error if they may not start verifications.
func (p newVerificationPage) starter(c *gin.Context) (access.Actor, error) {
	who, err := p.Actors.Actor(c)
	if err == nil {
		err = p.Service.MayStart(who.Person)
	}
	return who, err
}

// readNewVerification reads the form: what was typed, and the document, nil if there is
// none.
func readNewVerification(r *http.Request) (typed map[string]string, document []byte, err error) {
	if err := r.ParseMultipartForm(maxForm); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, nil, fault.Wrap(fault.RequestTooLarge, err)
		}
		return nil, nil, fault.Wrap(fault.RequestMalformed, err)
	}
	typed = map[string]string{"self": r.PostFormValue("self"), "next": page.SigningPath(r.PostFormValue("next")), "left": r.PostFormValue("left")}
	for _, e := range entries {
		typed[e.Name] = safetext.Trim(safetext.Line(r.PostFormValue(e.Name)))
	}
	typed["email"], typed["phone"] = payload.NormalAddress(typed["email"]), payload.NormalPhone(typed["phone"])
	typed["dob"], typed["country"] = payload.NormalNumber(typed["dob"]), payload.NormalNumber(typed["country"])
	file, head, err := r.FormFile("document")
	if err != nil || head.Size == 0 && head.Filename == "" {
		return typed, nil, nil // without a chosen file, a browser sends an empty one
	}
	defer file.Close()
	document, err = io.ReadAll(file)
	return typed, document, err
}

// startWait limits how long a form waits for the same one, which is under way: a browser gives
// up the first request at the second of two clicks.
const startWait = 60 * time.Second

// maxForm limits the form including its document, in bytes.
const maxForm = 11 << 20

// payload returns the payload of Create Transaction.
func (p newVerificationPage) payload(typed map[string]string, document []byte) map[string]any {
	user := map[string]any{"first_name": typed["first_name"], "last_name": typed["last_name"]}
	set := func(in map[string]any, name string, value any, text string) {
		if text != "" {
			in[name] = value
		}
	}
	set(user, "emails", []string{typed["email"]}, typed["email"])
	set(user, "phone_number", typed["phone"], typed["phone"])
	set(user, "dob", typed["dob"], typed["dob"])
	set(user, "address", map[string]string{"country_code": typed["country"]}, typed["country"])
	back := map[string]string{"id": "REDIRECT_DEFAULT_URL", "url": backTo(p.PublicOrigin, typed["next"], typed["self"] == "yes")}
	payload := map[string]any{"users": []any{user}, "configuration": map[string]any{"redirects": []any{back}}}
	if document != nil {
		payload["documents"] = []any{map[string]any{"id": "document", "content": document}}
	}
	return payload
}

// backTo returns the address to which a person returns from the platform's page: the page
// of the user's verification, or one for a person who has nothing else to do here. next is as in
// verificationPath.
func backTo(origin, next string, self bool) string {
	id := "{{transactionId}}"
	if !self {
		return origin + verificationPath(id+"/finished", "")
	}
	return origin + verificationPath(id, next)
}

// show shows the form. With a cause it also shows what went wrong.
func (p newVerificationPage) show(c *gin.Context, typed map[string]string, cause error) error {
	v, status := newView{Common: page.Common(c), Typed: typed, Next: typed["next"], Wrong: map[string]string{}, Once: p.once(c).After(cause, c.Request.PostFormValue("once"))}, http.StatusOK
	v.Mark, v.Ticket = typed["left"], p.Recovery.Ticket(c)
	words := p.Renderer.Bundle.For(request.From(c).Language)
	if cause != nil {
		var err error
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		for _, field := range fault.From(cause).Fields {
			for _, e := range entries {
				if field.Pointer == e.pointer {
					v.Wrong[e.Name] = words.T(field.Detail)
				}
			}
		}
		if len(v.Wrong) > 1 {
			v.Problem.Detail = "" // the inputs show their own violations
		}
	}
	v.Countries = words.Countries(verification.Countries())
	return newTemplate.Show(c, p.Renderer, status, v)
}
