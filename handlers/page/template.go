package page

import (
	"maps"
	"reflect"

	"github.com/gin-gonic/gin"

	"countersign/templates"
)

// Template is a page of the folder templates, which shows a V.
type Template[V templates.Page] struct{ name string }

var views = map[string]reflect.Type{}

// For returns the page of templates/name.html. Call it for a variable of a package, so
// that Views knows it.
func For[V templates.Page](name string) Template[V] {
	views[name] = reflect.TypeFor[V]()
	return Template[V]{name}
}

// Views returns the type of what each page shows, by the page's name.
func Views() map[string]reflect.Type { return maps.Clone(views) }

// Show answers with the page; on its error nothing is sent.
func (t Template[V]) Show(c *gin.Context, r Renderer, status int, v V) error {
	return r.show(c, status, t.name, v)
}
