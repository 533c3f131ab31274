package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// openAPI answers GET /openapi.json with the document for this installation.
func (e *edge) openAPI(c *gin.Context) error {
	document, err := e.document()
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "application/json", document)
	return nil
}
