package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/web/openapi"
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

// errorExample returns what a client would get as an error, in English, in a schema of the
// document.
func (e *edge) errorExample(schema string, key fault.Key) any {
	f := fault.New(key)
	if key == fault.RequestInvalid {
		f.Fields = []fault.Field{{Pointer: "/language", Detail: "field.choice"}}
	}
	dialect := map[string]request.Dialect{"PlatformProblem": request.PlatformIdentity, "SigningProblem": request.PlatformSigning}[schema]
	return jsontext.Value(problemBody(f, e.Bundle.For(e.Bundle.Match("", "")), openapi.ExampleOrigin, "kq3Yd0vXn8Lw2RbT", dialect))
}
