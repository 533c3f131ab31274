package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// OAuth is a client of OAuth 2.0 (RFC 6749 section 4.4): the service takes access tokens,
// which the token endpoint hands out to this client.
type OAuth struct {
	// ID and Secret are shown to the token endpoint, as HTTP Basic, and to nobody else.
	ID, Secret string
	// TokenURL is the http or https address of the token endpoint.
	TokenURL string
	// TLS is as in Options, for an https TokenURL.
	TLS *tls.Config
}

// check returns what is wrong with o, which may be nil, without showing it.
func (o *OAuth) check() error {
	if o == nil {
		return nil
	}
	u, err := url.Parse(o.TokenURL)
	switch {
	case o.ID == "" || o.Secret == "":
		return errors.New("OAuth needs a client's id and secret")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("the token endpoint must be http:// or https:// with a host, without user or fragment")
	}
	return checkTLS(o.TLS)
}

// requestToken names the request for a token, in metrics.
const requestToken = "requestToken"

const (
	// unknownLife is the life of a token whose life the endpoint does not tell.
	unknownLife = time.Minute
	// longestLife limits what the endpoint tells.
	longestLife = 24 * time.Hour
	// renewEarly is the least time before its end at which a token is renewed.
	renewEarly = 10 * time.Second
	// maxToken limits the bytes of a token.
	maxToken = 16 << 10
)

// accessToken is a token of the service.
type accessToken struct {
	authorization string // the header's value
	renewAt, ends time.Time
}

// newAccessToken reads what the endpoint sent at the time of the request, from which a
// token's life is counted.
func newAccessToken(sent *oauth2.Token, now time.Time) (*accessToken, error) {
	switch {
	case !visible(sent.AccessToken) || len(sent.AccessToken) > maxToken:
		return nil, errors.New("the token endpoint answered with a token that no header can carry")
	case !strings.EqualFold(sent.Type(), "Bearer"):
		return nil, errors.New("the token endpoint answered with a token of another type than Bearer")
	}
	life := lifeOf(sent)
	early := max(life/10, renewEarly)
	if early >= life {
		early = life / 2
	}
	return &accessToken{authorization: "Bearer " + sent.AccessToken, renewAt: now.Add(life - early), ends: now.Add(life)}, nil
}

func visible(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// lifeOf returns the token's life: unknownLife where the endpoint tells none, or none that
// can be.
func lifeOf(sent *oauth2.Token) time.Duration {
	var seconds float64
	switch told := sent.Extra("expires_in").(type) {
	case float64:
		seconds = told
	case int64: // of a form
		seconds = float64(told)
	case string:
		seconds, _ = strconv.ParseFloat(told, 64)
	}
	if !(seconds > 0) { // NaN too
		return unknownLife
	}
	return time.Duration(min(seconds, longestLife.Seconds()) * float64(time.Second))
}

// tokenEndpoint asks for tokens. Redirects are not followed, so that the secret stays with
// the endpoint.
type tokenEndpoint struct {
	config clientcredentials.Config
	http   *http.Client
	hidden *strings.Replacer
}

func newTokenEndpoint(o Options) tokenEndpoint {
	id, secret := o.OAuth.ID, o.OAuth.Secret
	asked := http.Request{Header: http.Header{}}
	asked.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	shown := append(credentialParts(asked.Header.Get("Authorization")), secret, url.QueryEscape(secret))
	o.TLS = o.OAuth.TLS
	return tokenEndpoint{
		config: clientcredentials.Config{ClientID: id, ClientSecret: secret, TokenURL: o.OAuth.TokenURL, AuthStyle: oauth2.AuthStyleInHeader},
		http: &http.Client{
			Transport:     newTransport(o),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		hidden: replacer(shown),
	}
}

// newTokens returns the tokens of c, whose observer is told of the requests for them.
func (c *Client) newTokens(o Options) *tokens {
	t := &tokens{timeout: o.Timeout, now: o.Now, log: o.Logger, source: c.newTokenSource(o)}
	t.open, t.end = context.WithCancel(context.Background())
	return t
}

func (c *Client) newTokenSource(o Options) tokenSource {
	endpoint := newTokenEndpoint(o)
	ask := func(ctx context.Context) (*accessToken, error) {
		asked, ended := o.Now(), c.begin(ctx, requestToken)
		sent, status, err := endpoint.ask(ctx)
		if status != 0 {
			ended(&response{status: status}, nil)
		} else {
			ended(nil, err)
		}
		if err != nil {
			return nil, err
		}
		return newAccessToken(sent, asked)
	}
	return tokenSource{ask: ask, idle: endpoint.http.CloseIdleConnections}
}

// ask asks once. status is the status of the endpoint's answer, 0 for none. The errors quote
// nothing of the answer but an error code of RFC 6749 section 5.2.
func (e *tokenEndpoint) ask(ctx context.Context) (sent *oauth2.Token, status int, err error) {
	sent, err = e.config.Token(context.WithValue(ctx, oauth2.HTTPClient, e.http))
	if err == nil {
		return sent, http.StatusOK, nil
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		said := ""
		if errorCodes.MatchString(refused.ErrorCode) {
			said = ": " + e.hidden.Replace(refused.ErrorCode)
		}
		return nil, refused.Response.StatusCode, fmt.Errorf("the token endpoint answered %d%s", refused.Response.StatusCode, said)
	}
	if ctx.Err() != nil {
		return nil, 0, fmt.Errorf("the token endpoint did not answer in time: %w", ctx.Err())
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, 0, &noToken{said: "the token endpoint cannot be reached: " + e.hidden.Replace(failed.Err.Error()), cause: failed.Err}
	}
	return nil, http.StatusOK, errors.New("the token endpoint answered without a token")
}

var errorCodes = regexp.MustCompile(`^[a-z_]{1,40}$`)

// noToken is the error of an endpoint that did not answer.
type noToken struct {
	said  string
	cause error
}

func (e *noToken) Error() string { return e.said }
func (e *noToken) Unwrap() error { return e.cause }
