package portal

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
)

// keepExpired keeps a form that was submitted after the session expired, as FormRecovery does,
// but without its files.
func (p newPackagePage) keepExpired(c *gin.Context) error {
	if !p.Recovery.Expired(c) {
		return nil
	}
	const room = 0
	sent, err := p.read(c, room)
	if err != nil {
		return nil // without a form to keep, the person just signs in
	}
	defer sent.files.Close()
	notice := page.NoticeNotDone
	if sent.tooLarge {
		notice = page.NoticePackageFilesAgain
	}
	p.Recovery.Keep(c, sent.typed["ticket"], sent.typed, notice)
	return nil
}

// unsaved shows what was typed again, to be sent once more, if the request failed for a
// reason that may pass. It returns any other cause.
func (p newPackagePage) unsaved(c *gin.Context, id string, sent *sentPage, cause error) error {
	if cause == nil || c.Writer.Written() || !page.Retryable(cause) {
		return cause
	}
	v := editorView{Common: page.Common(c), ID: id, Unsaved: sent.typed}
	var status int
	var err error
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return err
	}
	return newTemplate.Show(c, p.Renderer, status, v)
}
