package signing_test

import (
	"net/http"
	"strings"
	"testing"
)

// Every error of the signing API has the same form, wherever it comes from.
func TestErrors_SameForm(t *testing.T) {
	c := start(t)
	a := c.get("/api/packages/none")
	want := `{"code":404,"messageKey":"error.notFound.packageNotFound","message":"The specified package was not found.","name":"Resource Not Found"}`
	if a.status != http.StatusNotFound || a.text != want {
		t.Errorf("%d %s, want %s", a.status, a.text, want)
	}
	for _, one := range []struct {
		fault  object
		status int
		key    string
	}{
		{object{"error": "There is a role with no signer."}, 400, "error.validation.packageActivation.unassignedRole"},
		{object{"error": "The required permission was not found."}, 403, "error.forbidden.noPermission"},
		{object{"error": "A text of no table"}, 400, "error.validation.payload.invalid"},
		{object{"error": "A text of no table", "status": 422}, 422, "error.unprocessableEntity.payload.invalid"},
		{object{"status": 401}, 401, "error.unauthorized.invalidCredentials"},
		{object{"status": 429, "headers": object{"Retry-After": "3"}}, 429, "error.unexpected.platformError"},
		{object{"status": 503}, 503, "error.unexpected.platformError"},
	} {
		one.fault["operation"] = "getPackage"
		c.manage("POST", "faults", one.fault)
		c.get("/api/packages/none").refused(one.status, one.key)
	}
	if a := c.post("/_manage/faults", object{"operation": "getPackage", "error": "x", "release": "22.R3"}); a.status != http.StatusBadRequest {
		t.Errorf("a release: %d %s", a.status, a.text)
	}
	c.call("POST", "/api/packages/none/clone", strings.Repeat(" ", 1<<20+1)).refused(http.StatusRequestEntityTooLarge, "error.validation.payload.tooLarge")
}

func TestOrigin_OtherSitesRefused(t *testing.T) {
	c := start(t)
	for origin, status := range map[string]int{"https://evil.example": 403, "null": 403, c.url: 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/api/packages", strings.NewReader(`{"name":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", origin)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		same(t, origin, response.StatusCode, status)
	}
}
