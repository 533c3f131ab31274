package web

import (
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/request"
	"countersign/session"
	"countersign/web/openapi"
)

// document is what the OpenAPI documents of all installations have in common. It takes a moment
// to make, so the first request for it waits.
var document = sync.OnceValues(func() (openapi.Document, error) {
	bundle, err := i18n.New()
	if err != nil {
		return nil, err
	}
	return openapi.New(func(schema string, key fault.Key) any { return errorExample(bundle, schema, key) })
})

// openAPI answers GET /openapi.json with the document for this installation.
func (e *edge) openAPI(c *gin.Context) error {
	whole, err := document()
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "application/json", whole.For(e.PublicOrigin, session.CookieName(e.https)))
	return nil
}

// errorExample returns what a client would get as an error, in English, in a schema of the
// document.
func errorExample(bundle *i18n.Bundle, schema string, key fault.Key) any {
	f := fault.New(key)
	if key == fault.RequestInvalid {
		f.Fields = []fault.Field{{Pointer: "/language", Detail: "field.choice"}}
	}
	dialect := map[string]request.Dialect{"PlatformProblem": request.PlatformIdentity, "SigningProblem": request.PlatformSigning}[schema]
	return jsontext.Value(problemBody(f, bundle.For(bundle.Match("", "")), openapi.ExampleOrigin, "kq3Yd0vXn8Lw2RbT", dialect))
}
