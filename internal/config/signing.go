package config

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
)

// Signing holds the settings of the platform's signing API, and of the rights to use it.
type Signing struct {
	// URL is the base URL of the e-signing API, without `/api`.
	// Default: `COUNTERSIGN_PLATFORM_URL`
	// Example: https://signing.example.com
	URL string `env:"URL" rule:"signingURL"`
	// APIKey is the API key of the e-signing account, sent after `Basic`; `none` if the API needs no
	// credential.
	// Required: for e-signing in production, unless OAuth is set
	// Example: /run/secrets/signing-key
	APIKey string `env:"API_KEY" secret:"true"`
	// OAuth takes the place of APIKey.
	OAuth OAuth `envPrefix:"OAUTH_"`
	// CA are the only trusted authorities (PEM) for the e-signing API.
	// Default: the system's
	// Example: /run/secrets/signing-ca.crt
	CA Document `env:"CA"`
	// Creators are the users who can create packages: `everybody` who is signed in, or `operators`.
	// Example: operators
	Creators string `env:"CREATORS" envDefault:"everybody" oneOf:"everybody,operators"`
	// SiteHosts are further hosts of signing pages, with or without a port.
	// Example: sign.example.com,pages.example.com:8443
	SiteHosts []string `env:"SITE_HOSTS" rule:"siteHost"`
	// CallbackKey is the key that e-signing [callbacks](operate/callbacks.md) carry as `Basic`.
	// Example: /run/secrets/signing-callback-key
	//
	// Without it and without an issuer, `/callbacks/signing` is not found.
	CallbackKey string `env:"CALLBACK_KEY" secret:"true"`
	// CallbackHeader is the header that carries the callback key instead of `Authorization`;
	// needs `COUNTERSIGN_SIGNING_CALLBACK_KEY`.
	// Example: X-Callback-Key
	CallbackHeader string `env:"CALLBACK_HEADER"`
	// CallbackIssuer is the `iss` of JWTs that callbacks may carry as `Bearer`; needs the audience and
	// the JWKS URL.
	// Example: https://login.example.com
	CallbackIssuer string `env:"CALLBACK_ISSUER"`
	// CallbackAudience is the `aud` of the JWTs that callbacks carry.
	// Required: with `COUNTERSIGN_SIGNING_CALLBACK_ISSUER`
	// Example: countersign
	CallbackAudience string `env:"CALLBACK_AUDIENCE"`
	// CallbackJWKSURL is the https address of the callback issuer's keys.
	// Required: with `COUNTERSIGN_SIGNING_CALLBACK_ISSUER`
	// Example: https://login.example.com/jwks.json
	//
	// It is read once an hour, and for an unknown key at most once a minute.
	CallbackJWKSURL string `env:"CALLBACK_JWKS_URL"`
	// Sweep is the interval at which changed packages are read from the platform.
	// Example: 10m
	Sweep time.Duration `env:"SWEEP" envDefault:"5m"`
	// TrashAfter is the number of days after its end at which a package is moved to the trash
	// ([retention](operate/retention.md)); `off` is never.
	// Example: 365
	TrashAfter Days `env:"TRASH_AFTER" envDefault:"off"`

	none bool
	tls  *tls.Config
}

// OAuth is a client of OAuth 2.0, which gets access tokens for itself.
type OAuth struct {
	// ClientID is the OAuth 2.0 client id for an e-signing account that uses
	// [OAuth](operate/keys-and-secrets.md#signing-credential) instead of an API key.
	// Example: /run/secrets/signing-client-id
	ClientID string `env:"CLIENT_ID" secret:"true"`
	// ClientSecret is the OAuth 2.0 client secret, sent to the token endpoint only.
	// Required: with `COUNTERSIGN_SIGNING_OAUTH_CLIENT_ID`
	// Example: /run/secrets/signing-client-secret
	ClientSecret string `env:"CLIENT_SECRET" secret:"true"`
	// TokenURL is the OAuth 2.0 token endpoint of the e-signing API.
	// Default: `/oauth2/token` below `COUNTERSIGN_SIGNING_URL`
	// Example: https://signing.example.com/oauth2/token
	//
	// `COUNTERSIGN_SIGNING_CA` applies to it.
	TokenURL string `env:"TOKEN_URL" rule:"tokenURL"`
}

// The values of Creators.
const (
	everybody = "everybody"
	operators = "operators"
)

// OperatorsCreate reports whether only operators create packages.
func (s Signing) OperatorsCreate() bool { return s.Creators == operators }

// Service returns the API's address and, but for OAuth, its credential (docs/platform.md S1).
func (s Signing) Service() Service {
	service := Service{URL: s.URL, None: s.none, tls: s.tls}
	if s.APIKey != "" {
		service.Authorization = "Basic " + s.APIKey
	}
	return service
}

// SigningInUse reports whether packages can be signed here: always with the embedded
// platform, else if a credential is set.
func (c Config) SigningInUse() bool {
	return !c.Production() || !c.unset("SIGNING_API_KEY") || len(c.oauthSettings()) > 0
}

// oauthSettings returns the names of the settings of OAuth that are set.
func (c Config) oauthSettings() []string {
	all := []string{oauthID, oauthSecret, "SIGNING_OAUTH_TOKEN_URL"}
	return slices.DeleteFunc(all, func(name string) bool { return c.unset(name) })
}

const oauthID, oauthSecret = "SIGNING_OAUTH_CLIENT_ID", "SIGNING_OAUTH_CLIENT_SECRET" //nolint:gosec // names of settings

// signingCredential returns the name of the setting with the credential.
func (c Config) signingCredential() string {
	if c.unset("SIGNING_API_KEY") && len(c.oauthSettings()) > 0 {
		return oauthID
	}
	return "SIGNING_API_KEY"
}

func (l *loader) deriveSigning() {
	c := &l.config
	if c.Production() {
		c.Signing.URL = cmp.Or(c.Signing.URL, c.PlatformURL)
	}
	if oauth := &c.Signing.OAuth; oauth.ClientID != "" && c.Signing.URL != "" {
		oauth.TokenURL = cmp.Or(oauth.TokenURL, strings.TrimSuffix(c.Signing.URL, "/api")+"/oauth2/token")
	}
	if c.unset("ACCESS_KEYS") && !c.Production() {
		c.AccessKeys = [][]byte{freshKey()}
	}
}

// signing checks the signing API. Production uses it if its credential is set; with the
// embedded platform, an address or a credential suggests that production was meant.
func (l *loader) signing() {
	c, s := &l.config, &l.config.Signing
	if s.APIKey == none {
		s.APIKey, s.none = "", true
	}
	l.keys(map[string]string{
		"SIGNING_API_KEY": s.APIKey, "SIGNING_CALLBACK_KEY": s.CallbackKey, oauthID: s.OAuth.ClientID, oauthSecret: s.OAuth.ClientSecret,
	})
	l.oneSigningCredential()
	l.signingCallbacks()
	if c.Production() && c.SigningInUse() && s.CallbackKey == "" && s.CallbackIssuer == "" {
		l.warnings.add("SIGNING_CALLBACK_KEY", "is not set: what changes at the platform is seen at the next %sSIGNING_SWEEP, not at once", Prefix)
	}
	s.tls = l.authorities("SIGNING_CA", s.CA)
	credential := c.signingCredential()
	switch {
	case !c.Production():
		l.embeddedAPI("SIGNING_URL", s.URL, credential, s.APIKey != "" || credential == oauthID)
	case !c.SigningInUse():
		l.unused("SIGNING_API_KEY or "+Prefix+oauthID, "SIGNING_")
	case s.URL == "":
		l.problems.add("SIGNING_URL", "is required with %[1]s%[2]s where %[1]sPLATFORM_URL is not set", Prefix, credential)
	}
}

// oneSigningCredential reports two credentials of the signing API, and half of one.
func (l *loader) oneSigningCredential() {
	c := &l.config
	oauth := c.oauthSettings()
	if len(oauth) == 0 {
		return
	}
	if !c.unset("SIGNING_API_KEY") {
		l.problems.add("SIGNING_API_KEY", "is set, and so is %s: the account takes one of them", Prefix+strings.Join(oauth, ", "+Prefix))
	}
	for _, name := range []string{oauthID, oauthSecret} {
		if c.unset(name) {
			l.problems.add(name, "is required with %s", Prefix+oauth[0])
		}
	}
}

// accessKeys requires the keys that seal the owners of packages and transactions.
func (l *loader) accessKeys() {
	c := &l.config
	if !c.Production() || !c.unset("ACCESS_KEYS") {
		return
	}
	for name, inUse := range map[string]bool{c.signingCredential(): c.SigningInUse(), "IDV_TOKEN": c.VerificationInUse()} {
		if inUse {
			l.problems.add("ACCESS_KEYS", "is required with %s%s%s", Prefix, name, makeOne)
		}
	}
}

// siteHost normalises a host, or host:port, of signing pages (docs/platform.md S10) and others, to
// lower case.
func siteHost(text string) (string, error) {
	host, port := text, ""
	if name, number, err := net.SplitHostPort(text); err == nil {
		if host, port = name, number; portOf(text) == 0 {
			host = ""
		}
	}
	host, err := canonicalHostname(strings.Trim(host, "[]"))
	switch {
	case err != nil:
		return "", fmt.Errorf("%q is not a host such as sign.example.com or sign.example.com:8443", text)
	case port == "":
		return host, nil
	}
	return net.JoinHostPort(host, port), nil
}
