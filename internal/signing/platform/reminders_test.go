package platform_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// The first schedule of a package is posted, a later one put, and none is deleted; a refusal
// is about the package's state.
func TestSetReminders_PostThenPut(t *testing.T) {
	var asked string
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.Path + " " + string(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"code":1,"message":"x"}`)
	}))
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Options{Name: "signing", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	c := signingapi.New(up, nil)
	none, one, other := signing.Reminders{}, signing.Reminders{Start: 1, Interval: 2, Most: 3}, signing.Reminders{Start: 2, Interval: 2, Most: 5}
	for _, tt := range []struct {
		has, set signing.Reminders
		want     string
	}{
		{none, one, `POST /api/packages/p/reminders {"packageId":"p","startInDaysDelay":1,"intervalInDays":2,"repetitionsCount":3}`},
		{one, other, `PUT /api/packages/p/reminders {"packageId":"p","startInDaysDelay":2,"intervalInDays":2,"repetitionsCount":5}`},
		{one, none, `DELETE /api/packages/p/reminders `},
	} {
		status = http.StatusOK
		if err := c.SetReminders(t.Context(), "p", tt.has, tt.set); err != nil || asked != tt.want {
			t.Errorf("asked %s, want %s; %v", asked, tt.want, err)
		}
		for _, status = range []int{http.StatusBadRequest, http.StatusConflict} {
			err := c.SetReminders(t.Context(), "p", tt.has, tt.set)
			if want := fault.SigningState; tt.set != none && !fault.Is(err, want) {
				t.Errorf("%d to %s: %v", status, tt.want, err)
			}
		}
	}
}

// What the platform cannot answer in the wanted form is a wrong request.
func TestTranslate_NotAcceptable(t *testing.T) {
	for _, o := range signingapi.Operations() {
		if o.ByStatus(http.StatusNotAcceptable) != fault.SigningInvalid {
			t.Errorf("406 to %s is %s", o.Name, o.ByStatus(http.StatusNotAcceptable))
		}
	}
}
