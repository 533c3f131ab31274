package config

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// IDV holds the settings of the platform's identity verification API.
type IDV struct {
	// URL is the base URL of the identity verification API, without `/api`.
	// Default: `COUNTERSIGN_PLATFORM_URL`
	// Example: https://idv.example.com
	URL string `env:"URL" rule:"idvURL"`
	// Token is the identity verification account's token, sent after `Bearer`; `none` if the API needs
	// no credential.
	// Required: for identity checks in production
	// Example: /run/secrets/idv-token
	Token string `env:"TOKEN" secret:"true"`
	// Tenant is the identity verification tenant, sent as `X-Tenant`.
	// Default: the sandbox's
	// Required: with `COUNTERSIGN_IDV_TOKEN`
	// Example: /run/secrets/idv-tenant
	Tenant string `env:"TENANT" secret:"true"`
	// CA are the only trusted authorities (PEM) for the identity verification API.
	// Default: the system's
	// Example: /run/secrets/idv-ca.crt
	CA Document `env:"CA"`
	// Workflows are the UUIDs of allowed workflows; the first is the default.
	// Default: the sandbox's
	// Required: with `COUNTERSIGN_IDV_TOKEN`
	// Example: 6f3d0b52-2f4e-4c8a-9d3b-5a1c7e9f0b24
	Workflows []string `env:"WORKFLOWS" rule:"uuid"`
	// Brands are the UUIDs of allowed brands; the first is the default.
	// Default: the sandbox's
	// Required: with `COUNTERSIGN_IDV_TOKEN`
	// Example: 0a9c4e71-8b2d-4f65-a1e7-3c5d9b8f2e60
	Brands []string `env:"BRANDS" rule:"uuid"`
	// ClientMembers are members that clients may send although they can weaken a check:
	// `disable_recording`, `disable_notifications`, `expiry_period`, `verifications`,
	// `configuration.consent`, `status`, `events`, `id`, `created_by`, `urlSetKey`.
	// Example: expiry_period
	ClientMembers []string `env:"CLIENT_MEMBERS" rule:"clientMember"`
	// Role is the default role of an identity check's token.
	// Example: agent
	Role string `env:"ROLE" envDefault:"customer" rule:"role"`
	// AccessURL is the address of the platform's page with `{transaction}` and `{token}`, for tokens
	// without an address.
	// Default: the sandbox's; none in production
	// Example: https://idv.example.com/t/{transaction}?token={token}
	//
	// Its form is an assumption.
	AccessURL string `env:"ACCESS_URL" rule:"accessTemplate"`
	// SiteHosts are the hosts of the platform's pages, with or without a port.
	// Default: the host of `COUNTERSIGN_IDV_URL`
	// Example: idv.example.com,pages.example.com:8443
	SiteHosts []string `env:"SITE_HOSTS" rule:"siteHost"`
	// RedirectOrigins are origins, beside the public origin, to which users may return after an
	// identity check.
	// Example: https://www.example.com
	RedirectOrigins []string `env:"REDIRECT_ORIGINS" rule:"redirectOrigin"`
	// CallbackKey is the key that identity check [callbacks](operate/callbacks.md) carry.
	// Example: /run/secrets/idv-callback-key
	//
	// Without it `/callbacks/verification` is not found.
	CallbackKey string `env:"CALLBACK_KEY" secret:"true"`
	// Creators are the users who can start identity checks: `everybody` who is signed in, or
	// `operators`.
	// Example: operators
	Creators string `env:"CREATORS" envDefault:"everybody" oneOf:"everybody,operators"`
	// Erasure are the users who can have an identity check erased: `operators`, or also its `starter`.
	// Example: starter
	Erasure string `env:"ERASURE" envDefault:"operators" oneOf:"operators,starter"`
	// Sweep is the interval at which active identity checks are read from the platform.
	// Example: 10m
	Sweep time.Duration `env:"SWEEP" envDefault:"5m"`
	// EraseAfter is the number of days after its end at which an identity check is erased
	// ([retention](operate/retention.md)); `off` is never.
	// Example: 30
	EraseAfter Days `env:"ERASE_AFTER" envDefault:"off"`
	// LinkLifetime is the lifetime of a shared link that pages show; the platform does not report it.
	// Example: 24h
	LinkLifetime time.Duration `env:"LINK_LIFETIME" envDefault:"1h"`

	none bool
	tls  *tls.Config
}

// ClientMembers are the members of a payload that would weaken a check, or that only the
// platform may decide.
func ClientMembers() []string {
	return []string{
		"disable_recording", "disable_notifications", "expiry_period", "verifications", "configuration.consent",
		"status", "events", "id", "created_by", "urlSetKey",
	}
}

// OperatorsCreate reports whether only operators start transactions.
func (i IDV) OperatorsCreate() bool { return i.Creators == operators }

// StarterErases reports whether the starter of a transaction may erase it.
func (i IDV) StarterErases() bool { return i.Erasure == "starter" }

// Events holds the settings of the event streams of live pages.
type Events struct {
	// Lifetime limits how long one event stream lasts.
	// Example: 10m
	Lifetime time.Duration `env:"LIFETIME" envDefault:"5m"`
	// Max limits the event streams of a node.
	// Example: 5000
	//
	// Beyond it, pages poll every 5 s.
	Max int `env:"MAX" envDefault:"2000"`
}

// Service returns the API's address and credentials (docs/platform.md V1).
func (i IDV) Service() Service {
	service := Service{URL: i.URL, None: i.none, tls: i.tls}
	if i.Token != "" {
		service.Authorization = "Bearer " + i.Token
	}
	return service
}

// VerificationInUse reports whether identities can be verified here: always with the
// embedded platform, else if the credential is set.
func (c Config) VerificationInUse() bool { return !c.Production() || !c.unset("IDV_TOKEN") }

func (l *loader) deriveVerification() {
	c := &l.config
	if c.Production() {
		c.IDV.URL = cmp.Or(c.IDV.URL, c.PlatformURL)
	}
}

// verification checks the identity verification API, as signing does for its own.
func (l *loader) verification() {
	c, i := &l.config, &l.config.IDV
	if i.Token == none {
		i.Token, i.none = "", true
	}
	l.keys(map[string]string{"IDV_TOKEN": i.Token, "IDV_TENANT": i.Tenant, "IDV_CALLBACK_KEY": i.CallbackKey})
	i.tls = l.authorities("IDV_CA", i.CA)
	switch {
	case !c.Production():
		l.embeddedAPI("IDV_URL", i.URL, "IDV_TOKEN", i.Token != "")
	case !c.VerificationInUse():
		l.unused("IDV_TOKEN", "IDV_")
	case i.URL == "":
		l.problems.add("IDV_URL", "is required with %[1]sIDV_TOKEN where %[1]sPLATFORM_URL is not set", Prefix)
	}
	if c.Production() && c.VerificationInUse() {
		if i.AccessURL == "" {
			l.warnings.add("IDV_ACCESS_URL", "is not set: where the platform gives a new token no address, it is made from that of the transaction's first token")
		}
		if i.CallbackKey == "" {
			l.warnings.add("IDV_CALLBACK_KEY", "is not set: the end of an identity check is noticed when a user opens it or the next sweep reads it, not at once")
		}
		for _, name := range []string{"IDV_WORKFLOWS", "IDV_BRANDS", "IDV_TENANT"} {
			if c.unset(name) {
				l.problems.add(name, "is required with %sIDV_TOKEN", Prefix)
			}
		}
	}
	l.accessURL()
}

// accessURL checks that the template leads to a page of the platform.
func (l *loader) accessURL() {
	i := &l.config.IDV
	if i.AccessURL == "" {
		return
	}
	hosts := Hosts(i.SiteHosts)
	if base, err := url.Parse(i.URL); err == nil && len(hosts) == 0 {
		hosts = Hosts{base.Host}
	}
	if u, err := url.Parse(placeholders.Replace(i.AccessURL)); err == nil && i.URL+strings.Join(hosts, "") != "" && !hosts.Have(u) {
		l.problems.add("IDV_ACCESS_URL", "is not on a host of the platform's pages: add %s to %sIDV_SITE_HOSTS", u.Host, Prefix)
	}
}

var placeholders = strings.NewReplacer("{transaction}", "x", "{token}", "x")

// accessTemplate accepts an address with {transaction} and {token}.
func accessTemplate(text string) (string, error) {
	u, err := url.Parse(placeholders.Replace(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
		!strings.Contains(text, "{transaction}") || !strings.Contains(text, "{token}") {
		return "", fmt.Errorf("is not an address such as https://idv.example.com/esign/{transaction}?access_token={token}")
	}
	return text, nil
}

var uuids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// uuid accepts a UUID and returns it in lower case.
func uuid(text string) (string, error) {
	text = strings.ToLower(text)
	if !uuids.MatchString(text) {
		return "", fmt.Errorf("%q is not a UUID such as 0b5d9f6e-2c3a-4f1d-9a7e-3c2b1a0f9e8d", text)
	}
	return text, nil
}

func role(text string) (string, error) {
	if utf8.RuneCountInString(text) > 32 {
		return "", fmt.Errorf("%q is longer than 32 characters", text)
	}
	return text, nil
}

// redirectOrigin accepts an https origin, or one of this machine.
func redirectOrigin(text string) (string, error) {
	origin, err := ParseOrigin(text)
	if err == nil && !origin.HTTPS() && !origin.Loopback() {
		err = fmt.Errorf("%q is not https", text)
	}
	return origin.String(), err
}

// Hosts are hosts with any port, or host:port, in lower case.
type Hosts []string

// Have reports whether u is a page on one of the hosts.
func (h Hosts) Have(u *url.URL) bool {
	if u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Host == "" {
		return false
	}
	return slices.Contains(h, strings.ToLower(u.Host)) || slices.Contains(h, strings.ToLower(u.Hostname()))
}
