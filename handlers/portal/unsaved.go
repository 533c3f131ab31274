package portal

import (
	"io"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/templates"
)

// Leave is that of FormRecovery for a form with files, which are not kept.
func (p NewPackagePage) Leave(c *gin.Context) error {
	if !p.Left.MustKeep(c) {
		return nil
	}
	const room = 0
	sent, err := p.read(c, room)
	if err != nil {
		return nil // nothing is left, and they sign in
	}
	defer sent.files.Close()
	var notice templates.Notice
	if sent.tooLarge {
		notice = templates.NoticePackageFilesAgain
	}
	p.Left.Keep(c, sent.typed["ticket"], sent.typed, notice)
	return nil
}

// unsaved shows what was typed once more where nothing else can be done with it now, to be
// sent again. Any other error stays one.
func (p NewPackagePage) unsaved(c *gin.Context, id string, sent *sentPage, cause error) error {
	if cause == nil || c.Writer.Written() || !page.Retryable(cause) {
		return cause
	}
	v := templates.NewPackage{Common: page.Common(c), ID: id, Unsaved: sent.typed}
	var status int
	var err error
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return err
	}
	return p.Renderer.Render(c, status, func(w io.Writer) error { return p.Renderer.Templates.NewPackage(w, v) })
}
