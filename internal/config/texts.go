package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule reads one text, or one entry of a list, and returns its normal form.
type rule func(text string) (string, error)

// rules are the rules that the tag rule of a field may name. A setting of a field with the tag
// oneOf is one of the listed words.
func (c *Config) rules() map[string]rule {
	return map[string]rule{
		"aaid": aaid, "accessTemplate": accessTemplate, "address": address, "androidApp": androidApp, "appID": appID,
		"auditLog": auditLog, "baseURL": baseURL, "canonicalHostname": canonicalHostname, "clientMember": oneOf(ClientMembers()...),
		"domain": c.domain, "facet": facet, "idvURL": idvURL, "iosApp": iosApp, "mailAddress": mailAddress, "pageURL": pageURL,
		"rate": rate, "redirectOrigin": redirectOrigin, "redisPrefix": redisPrefix, "redisURL": redisURL, "role": role,
		"rpOrigin": rpOrigin, "signingURL": signingURL, "siteHost": siteHost, "smtpURL": smtpURL, "tokenURL": tokenURL,
		"userID": c.userID, "uuid": uuid,
	}
}

// normalise applies the rule of each given text and list. It reports texts that break
// their rule and leaves them out.
func (l *loader) normalise() {
	value, rules := reflect.ValueOf(&l.config).Elem(), l.config.rules()
	for _, s := range settings() {
		rule, known := rules[s.rule]
		switch {
		case len(s.words) > 0:
			rule = oneOf(s.words...)
		case s.rule == "":
			continue
		case !known:
			panic("config: " + s.name + " has an unknown rule: " + s.rule)
		}
		switch field := value.FieldByIndex(s.index).Addr().Interface().(type) {
		case *string:
			if *field != "" {
				*field = l.normal(s.name, *field, rule)
			}
		case *[]string:
			var normal []string
			for _, item := range *field {
				if text := l.normal(s.name, item, rule); text != "" && !slices.Contains(normal, text) {
					normal = append(normal, text)
				}
			}
			*field = normal
		}
	}
}

// normal returns the normal form of a text, which is "" after a mistake.
func (l *loader) normal(name, text string, rule rule) string {
	normal, err := rule(text)
	if err != nil {
		l.problems.add(name, "%v", err)
	}
	return normal
}

var aaidForm = regexp.MustCompile(`^[0-9A-F]{4}#[0-9A-F]{4}$`)

// aaid accepts the model of a UAF authenticator (docs/platform.md U2).
func aaid(text string) (string, error) {
	text = strings.ToUpper(text)
	if !aaidForm.MatchString(text) {
		return "", fmt.Errorf("%q is not an AAID such as 1234#ABCD", text)
	}
	return text, nil
}

func oneOf(allowed ...string) rule {
	return func(text string) (string, error) {
		if !slices.Contains(allowed, text) {
			return "", fmt.Errorf("%q is not one of %s", text, strings.Join(allowed, ", "))
		}
		return text, nil
	}
}

func address(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", fmt.Errorf("%q is not an address to listen on, such as 127.0.0.1:8080 or :8080", text)
	}
	return text, nil
}

// baseURL checks a service's URL. Its errors do not repeat the text, which may contain a
// password.
func baseURL(text string) (string, error) { return baseURLWith(text, "IDENTITY_AUTHORIZATION") }

func idvURL(text string) (string, error) { return baseURLWith(text, "IDV_TOKEN") }

func signingURL(text string) (string, error) { return baseURLWith(text, "SIGNING_API_KEY") }

// tokenURL checks the address of a token endpoint. Its errors do not repeat the text.
func tokenURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Contains(text, "#"):
		return "", errors.New("is not a URL such as https://signing.example.com/oauth2/token")
	case u.User != nil:
		return "", fmt.Errorf("carries a user name or password: their place is %[1]s%[2]s and %[1]s%[3]s", Prefix, oauthID, oauthSecret)
	}
	return u.String(), nil
}

// baseURLWith is baseURL for a service whose credential has its own setting.
func baseURLWith(text, credential string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("is not a URL such as https://tenant.example.com/v1")
	case u.User != nil:
		return "", fmt.Errorf("carries a user name or password: the credential's place is %s%s", Prefix, credential)
	case strings.ContainsAny(text, "?#"):
		return "", errors.New("is a base that paths are added to: it cannot have a query or a fragment")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

var rates = regexp.MustCompile(`^([1-9][0-9]{0,5}/[smh]|off)$`)

func rate(text string) (string, error) {
	if !rates.MatchString(text) {
		return "", fmt.Errorf("%q is neither off nor a limit such as 5/s, 10/m or 200/h", text)
	}
	return text, nil
}

var (
	userIDs = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)
	domains = regexp.MustCompile(`^[A-Za-z0-9.-]+$`)
)

// maxUserPart limits the characters of either part of a user's id.
const maxUserPart = 64

func (c *Config) userID(text string) (string, error) {
	name, domain, _ := strings.Cut(text, "@")
	if len(name) > maxUserPart || len(domain) > maxUserPart || !userIDs.MatchString(text) {
		return "", fmt.Errorf("%q is not a user such as carol@example", text)
	}
	return c.fold(text), nil
}

func (c *Config) domain(text string) (string, error) {
	if len(text) > maxUserPart || !domains.MatchString(text) {
		return "", fmt.Errorf("%q is not the domain of a user such as carol@example", text)
	}
	return c.fold(text), nil
}

func (c *Config) fold(text string) string {
	if c.FoldUsers() {
		return strings.ToLower(text)
	}
	return text
}

const apkKeyHash = "android:apk-key-hash:"

func rpOrigin(text string) (string, error) {
	hash, android := strings.CutPrefix(text, apkKeyHash)
	if !android {
		origin, err := ParseOrigin(text)
		return origin.String(), err
	}
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(hash); err != nil || len(raw) == 0 {
		return "", fmt.Errorf("%q does not end in the base64url, without padding, of the app's certificate hash", text)
	}
	return text, nil
}

var appFacets = regexp.MustCompile(`^(android:apk-key-hash(-sha256)?|ios:bundle-id):[!-~]+$`)

func facet(text string) (string, error) {
	if appFacets.MatchString(text) {
		return text, nil
	}
	origin, err := ParseOrigin(text)
	if err != nil {
		return "", fmt.Errorf("%w, nor a facet ID such as android:apk-key-hash:… or ios:bundle-id:…", err)
	}
	return origin.String(), nil
}

// appID accepts the URL of a list of trusted facets, or a facet ID.
func appID(text string) (string, error) {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil {
		return text, nil
	}
	return facet(text)
}

// pageURL accepts the address of a page that a browser is sent to.
func pageURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return "", errors.New("is not the address of a page, such as https://accounts.example.com/password")
	}
	return u.String(), nil
}
