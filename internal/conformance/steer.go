package conformance

import (
	"bytes"
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
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/_manage/outbox", http.NoBody)
	if err != nil {
		return false
	}
	return s.do(r) == nil
}

// Decide answers a pushed sign-in or transaction; see Env.Decide.
func (s Sandbox) Decide(ctx context.Context, requestID string, accept bool) error {
	decision := "refuse"
	if accept {
		decision = "accept"
	}
	return s.post(ctx, s.URL+"/_manage/push/"+url.PathEscape(requestID), "application/json", `{"decision":"`+decision+`"}`)
}

// End makes an account that has expired, with the password; see Env.Ended.
func (s Sandbox) End(ctx context.Context, user, password string) error {
	text, err := json.Marshal(map[string]any{"passKey": password, "expired": true})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, s.URL+"/_manage/users/"+url.PathEscape(user), bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	return s.do(r)
}

// Play presses the buttons of the page of a verification; see VerificationEnv.Play.
func (s Sandbox) Play(ctx context.Context, accessURL string) error {
	for _, action := range []string{"choose-document", "take-selfie", "agree", "finish"} {
		form := url.Values{"action": {action}, "quality": {"good"}}
		if err := s.post(ctx, accessURL, "application/x-www-form-urlencoded", form.Encode()); err != nil {
			return err
		}
	}
	return nil
}

// Wait moves its clock; see VerificationEnv.Wait.
func (s Sandbox) Wait(ctx context.Context, d time.Duration) error {
	return s.post(ctx, s.URL+"/_manage/clock", "application/json", `{"advance":"`+d.String()+`"}`)
}

func (s Sandbox) post(ctx context.Context, address, contentType, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	return s.do(r)
}

func (s Sandbox) do(r *http.Request) error {
	response, err := s.HTTP.Do(r) //nolint:gosec // The settings and the sandbox name the address.
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
