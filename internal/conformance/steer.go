package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Sandbox controls a sandbox's phone, camera and clock, through /_manage/ at URL, for
// cases that no tenant can run alone.
type Sandbox struct {
	URL  string
	HTTP *http.Client
}

// Reachable reports whether a sandbox answers at URL.
func (s Sandbox) Reachable(ctx context.Context) bool {
	return s.send(ctx, http.MethodGet, s.URL+"/_manage/outbox", "", "") == nil
}

// Decide answers a pushed sign-in or transaction; see Env.Decide.
func (s Sandbox) Decide(ctx context.Context, requestID string, accept bool) error {
	decision := map[bool]string{true: "accept", false: "refuse"}[accept]
	return s.manage(ctx, http.MethodPost, "/push/"+url.PathEscape(requestID), members{"decision": decision})
}

// End makes an account that has expired, with the password; see Env.Ended.
func (s Sandbox) End(ctx context.Context, user, password string) error {
	return s.manage(ctx, http.MethodPut, "/users/"+url.PathEscape(user), members{"passKey": password, "expired": true})
}

// Play presses the buttons of the page of a verification; see VerificationEnv.Play.
func (s Sandbox) Play(ctx context.Context, accessURL string) error {
	for _, action := range []string{"choose-document", "take-selfie", "agree", "finish"} {
		form := url.Values{"action": {action}, "quality": {"good"}}
		if err := s.send(ctx, http.MethodPost, accessURL, "application/x-www-form-urlencoded", form.Encode()); err != nil {
			return err
		}
	}
	return nil
}

// Wait moves its clock; see VerificationEnv.Wait.
func (s Sandbox) Wait(ctx context.Context, d time.Duration) error {
	return s.manage(ctx, http.MethodPost, "/clock", members{"advance": d.String()})
}

func (s Sandbox) manage(ctx context.Context, method, path string, body members) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.send(ctx, method, s.URL+"/_manage"+path, "application/json", string(text))
}

func (s Sandbox) send(ctx context.Context, method, address, contentType, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := s.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s", r.Method, r.URL.Path, response.Status)
	}
	return nil
}
