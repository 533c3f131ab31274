package signingproxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// A body may have a mebibyte and no byte more, whether its length is told or not, and none
// may be of any type.
func TestBody_Bounded(t *testing.T) {
	for _, c := range []struct {
		length  int
		untold  bool
		kind    string
		refusal fault.Key
	}{
		{length: 1 << 20, kind: "application/json"},
		{length: 1 << 20, untold: true, kind: "application/json"},
		{length: 1<<20 + 1, kind: "application/json", refusal: fault.RequestTooLarge},
		{length: 1<<20 + 1, untold: true, kind: "application/json", refusal: fault.RequestTooLarge},
		{length: 1<<20 + 1, untold: true, kind: "text/plain", refusal: fault.RequestTooLarge},
		{length: 2, kind: "text/plain", refusal: fault.RequestMediaType},
		{length: 0, kind: "text/plain"},
		{length: -9, kind: "text/plain"}, // nothing but white space
		{length: -9, untold: true},
	} {
		text := strings.Repeat(" ", max(-c.length, 0))
		if c.length > 1 {
			text = "{" + strings.Repeat(" ", c.length-2) + "}"
		}
		r := httptest.NewRequest(http.MethodPut, "/", strings.NewReader(text))
		if r.Header.Set("Content-Type", c.kind); c.untold {
			r.ContentLength = -1
		}
		to, _ := gin.CreateTestContext(httptest.NewRecorder())
		to.Request = r
		body, err := readBody(&call{gin: to})
		if c.refusal != "" && !fault.Is(err, c.refusal) || c.refusal == "" && (err != nil || len(body) != max(c.length, 0)) {
			t.Errorf("%+v: %d bytes, %v", c, len(body), err)
		}
	}
}
