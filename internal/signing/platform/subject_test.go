package platform_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"countersign/internal/fault"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

func operationOf(t *testing.T, name string) upstream.Operation {
	t.Helper()
	all := signingapi.Operations()
	i := slices.IndexFunc(all, func(o upstream.Operation) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[i]
}

// An answer names the object of its path, or none.
func TestSubject_AnotherObject(t *testing.T) {
	values := map[string]string{"package": "p1", "role": "r1", "document": "d1", "attachment": "passport"}
	for _, c := range []struct {
		operation, answer string
		fine              bool
	}{
		{"getPackage", `{"id":"p1"}`, true}, {"getPackage", `{"name":"x","roles":[{"id":"r2"}],"id":"p1"}`, true},
		{"getPackage", `{"name":"x"}`, true}, {"getPackage", ``, true}, {"getPackage", `[]`, true}, {"getPackage", `<html>`, true}, {"getPackage", `{"id":7}`, true},
		{"getPackage", `{"id":"p2"}`, false}, {"getPackage", `{"a\u0062":1,"id":"p2"}`, false}, {"getPackage", "\ufeff" + ` {"x":[{"id":"p1"}],"id":"p2"}`, false},
		{"getPackage", `{"\u0069d":"p2"}`, false}, {"getPackage", `{"id":"P1"}`, false}, {"getPackage", `{"id":"p\u0031"}`, true}, {"getPackage", "{\"\xff\":1,\"id\":\"p2\"}", false},
		{"updatePackage", `{}`, true}, {"updatePackage", `{"id":"p2"}`, false},
		{"getRole", `{"id":"r1","signers":[]}`, true}, {"getRole", `{"id":"r2","signers":[{"id":"r1"}]}`, true}, {"getRole", `{"id":"r2","signers":[{"id":"s"}]}`, false},
		{"updateRole", `{"id":"r2"}`, false}, {"getDocument", `{"id":"d1"}`, true}, {"getDocument", `{"id":"d2"}`, false}, {"updateDocument", `{"id":"d2"}`, false},
		{"clonePackage", `{"id":"p2"}`, true}, {"createPackage", `{"id":"p2"}`, true}, {"createRole", `{"id":"r2"}`, true},
		{"getReminders", `{"packageId":"p1"}`, true}, {"getReminders", `{"packageId":"p2"}`, false}, {"getSigningUrl", `{"url":"x","packageId":"p2"}`, false},
		{"getAttachment", `{"id":"another"}`, true},
	} {
		judge := signingapi.CheckSubject(operationOf(t, c.operation), values)
		if judge == nil {
			t.Errorf("%s: nobody judges it", c.operation)
		} else if err := judge([]byte(c.answer)); (err == nil) != c.fine {
			t.Errorf("%s %s: %v", c.operation, c.answer, err)
		}
	}
	if signingapi.CheckSubject(operationOf(t, "listPackages"), nil) != nil {
		t.Error("a list has a subject")
	}
}

// What the client reads by itself is judged.
func TestSubject_OfTheClientsOwnCalls(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":"p2","packageId":"p2"}`) }))
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL)
	if _, err := c.Package(t.Context(), "p1"); !fault.Is(err, fault.PlatformFailed) || !strings.Contains(err.Error(), "another package") {
		t.Errorf("a package: %v", err)
	}
	if _, err := c.Reminders(t.Context(), "p1"); !fault.Is(err, fault.PlatformFailed) {
		t.Errorf("reminders: %v", err)
	}
	if _, err := c.Package(t.Context(), "p2"); err != nil {
		t.Errorf("its own: %v", err)
	}
}
