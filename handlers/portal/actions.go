package portal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

var errForeignSite = errors.New("the signing page is not on a host of the platform")

// act does what the form asks for, and returns where that leads, and what to say of it.
func (p PackagePage) act(c *gin.Context, o opened) (leads string, done templates.Notice, err error) {
	if o.grant.Standing <= index.Signer {
		return "", "", fault.New(fault.SigningReadOnly)
	}
	path := packagePath(o.id)
	switch c.PostForm("action") {
	case "remind":
		return path, templates.NoticePackageReminded, p.audited(c, audit.Event{Operation: "notifyRole", Subject: o.id}, p.remind(c, o))
	case "cancel":
		return path, templates.NoticePackageCancelled, p.audited(c, audit.Event{Operation: "declinePackage", Subject: o.id}, p.cancel(c, o))
	case "copy":
		leads, err = p.copy(c, o)
		return leads, templates.NoticePackageCopied, err
	}
	return "", "", request.Violation("/action", "field.choice")
}

// reminded are the roles that a reminder goes to: those whose turn it is.
func reminded(pkg signing.Package) (roles []signing.Role) {
	for _, r := range pkg.Roles {
		if pkg.IsAsked(r) && pkg.Waits(r) && len(r.Signers) > 0 && pkg.Turn(r, pkg.Waits) {
			roles = append(roles, r)
		}
	}
	return roles
}

// remind sends the invitation once more to everybody whose turn it is, in the way that
// they were invited.
func (p PackagePage) remind(c *gin.Context, o opened) error {
	roles := reminded(o.whole)
	if o.whole.Status != signing.StatusSent || len(roles) == 0 {
		return fault.New(fault.SigningState)
	}
	for _, r := range roles {
		methods := r.Signers[0].NotificationMethods.Primary
		if len(methods) == 0 {
			methods = []string{"EMAIL"}
		}
		for _, method := range slices.Compact(slices.Sorted(slices.Values(methods))) {
			if err := p.Platform.Remind(c.Request.Context(), o.id, r.ID, method == "SMS"); err != nil {
				return err
			}
		}
	}
	return nil
}

// cancel takes the package back from its signers, for a reason.
func (p PackagePage) cancel(c *gin.Context, o opened) error {
	reason := strings.TrimSpace(c.PostForm("reason"))
	if reason == "" {
		return request.Violation("/reason", "field.required")
	}
	if o.whole.Status != signing.StatusSent {
		return fault.New(fault.SigningState)
	}
	if err := p.Platform.Decline(c.Request.Context(), o.id, o.whole.Sender.ID, reason); err != nil {
		return err
	}
	p.changed(c, o.id)
	return nil
}

// copy makes a draft of the same content, once for each time that the page was shown, and
// returns where it is edited.
func (p PackagePage) copy(c *gin.Context, o opened) (string, error) {
	if !p.mayCreate(o.person) {
		return "", fault.New(fault.SigningOperatorsOnly)
	}
	shown := c.PostForm("once")
	if shown == "" {
		id, err := p.clone(c.Request.Context(), c, o)
		return draftPath(id), err
	}
	key := "copy " + o.id + " " + shown
	sum := sha256.Sum256([]byte(key))
	made, _, err := p.Once.Do(c.Request.Context(), idempotency.Request{
		Person: o.person.User, Key: hex.EncodeToString(sum[:]), Method: http.MethodPost, Path: packagePath(o.id), Body: strings.NewReader(key),
	}, idempotency.Work{
		Send: func(ctx context.Context, _ *idempotency.Attempt) (idempotency.Answer, error) {
			id, err := p.clone(ctx, c, o)
			return idempotency.Answer{Status: http.StatusOK, Body: []byte(id)}, err
		},
		Find: func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
			return idempotency.Answer{}, false, nil
		},
	})
	switch {
	case fault.Is(err, fault.RequestIdempotencyBusy): // it will be among them
		return templates.PackagesPath + "?tab=" + string(templates.TabDrafts), nil
	case err != nil:
		return "", err
	}
	return draftPath(string(made.Body)), nil
}

func (p PackagePage) clone(ctx context.Context, c *gin.Context, o opened) (string, error) {
	words := p.Renderer.Bundle.For(request.From(c).Language)
	id, err := p.Platform.Clone(ctx, o.id, signing.Copy{
		Name: words.T("format.copy-of", "Name", o.whole.Name), Owner: signing.Ownership{Owner: o.person.User},
		Rules: signing.Context{Production: p.Production, Operator: o.person.Operator},
	})
	if err == nil {
		p.changed(c, id)
	}
	return id, p.audited(c, audit.Event{Operation: "clonePackage", Subject: id}, err)
}

// changed tells the index, and whoever watches, what was changed of a package.
func (p PackagePage) changed(c *gin.Context, id string) {
	p.refresh(c, id)
	if err := p.Hint(c.Request.Context(), PackageTopic(id)); err != nil {
		request.LogCause(c, fmt.Errorf("tell who watches package %s: %w", id, err))
	}
}

// refresh tells the index what a package is now. What cannot be told now the next sweep
// finds.
func (p Packages) refresh(c *gin.Context, id string) {
	if err := p.Access.Refresh(c.Request.Context(), id); err != nil {
		request.LogCause(c, fmt.Errorf("tell the index of package %s: %w", id, err))
	}
}
