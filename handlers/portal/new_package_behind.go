package portal

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/signing/compose"
)

// behind answers a page that was shown before another one stored the draft: it leads to the
// draft if that counts, and else shows what was typed, to be chosen or not. Nothing of it is
// stored but its files.
func (p NewPackagePage) behind(ctx context.Context, c *gin.Context, who access.Actor, d *compose.Draft, sent *sentPage) error {
	if sent.typed["do"] == "theirs" {
		return page.SeeOther(c, draftPath(d.ID), "")
	}
	var cause error = fault.New(fault.SigningChanged)
	if len(sent.list) > 0 {
		if err := p.attach(ctx, d, sent); err != nil {
			cause = err
		}
		p.Service.Refresh(ctx, who, d.ID)
		if err := p.Drafts.Keep(ctx, d, p.untitled(c)); err != nil {
			return err
		}
	}
	p.overlay(c, d, sent.typed)
	return p.show(c, d, cause)
}

// overlay puts what was typed on a page that is behind in place of the stored form.
func (p NewPackagePage) overlay(c *gin.Context, d *compose.Draft, typed map[string]string) {
	d.Newer = strconv.Itoa(d.Form.Revision)
	d.Form.Restore(typed)
	d.Form.Revision, _ = strconv.Atoi(typed["revision"]) // of what was shown
	p.take(c, d, typed)
}
