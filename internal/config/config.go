// Package config reads Countersign's settings from environment variables with the prefix
// COUNTERSIGN_. A secret may also come from the file that the same variable with the
// suffix _FILE names.
//
// It turns text into typed, normalised values, fills in the defaults, and reports every
// problem at once, each with its variable. It opens nothing, keeps nothing global and
// logs nothing; docs/configuration.md describes the settings for those who set them.
package config

import (
	"crypto/tls"
	"net/netip"
	"time"
)

// Prefix begins the name of every setting.
const Prefix = "COUNTERSIGN_"

// Config is every setting, checked, with the defaults filled in. A field's name in the
// environment is Prefix, the prefix of its struct, and its own. The tag secret hides a
// value from Redacted: "true" all of it, "url" the credentials in it; a secret, a
// Document and, one entry a line, a list with file:"lines" may come from a file.
type Config struct {
	// Addr is the address of the public listener, host:port; port 0 picks a free one.
	Addr string `env:"ADDR"`
	// AdminAddr is the address of the admin listener for health, metrics and profiles,
	// host:port.
	AdminAddr string `env:"ADMIN_ADDR" envDefault:"127.0.0.1:9090"`
	// PublicOrigin is the origin that people use. With the embedded platform its default
	// follows the port of Addr; see WithPort.
	PublicOrigin Origin `env:"PUBLIC_ORIGIN"`
	// RPOrigins are the origins that a FIDO2 response may carry, in canonical form, with
	// android:apk-key-hash:… among them; by default PublicOrigin alone.
	RPOrigins []string `env:"RP_ORIGINS"`
	// Apps are the service's own mobile apps.
	Apps Apps `envPrefix:"APPS_"`
	// ChangePasswordURL is the page on which people change the password that the platform
	// keeps; empty for no link.
	ChangePasswordURL string `env:"CHANGE_PASSWORD_URL"`
	// DrainDelay is the time for which requests are still served after the program was
	// told to end, while /readyz already reports the end. The default is above zero only
	// in production.
	DrainDelay Delay `env:"DRAIN_DELAY"`
	// DrainTimeout limits how long requests under way may take after that.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"10s"`
	// HelpURL is the page on which people who cannot sign in find help, or empty.
	HelpURL string `env:"HELP_URL"`
	// SPADir is the folder of a single-page application that is served at /app/, or empty.
	SPADir string `env:"SPA_DIR"`
	// TrustedProxies are the addresses whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`

	// AppSessions says which sessions apps get: AppSessionsAny, or AppSessionsBound, which
	// are bound to a key of the app's and which Basic does not open.
	AppSessions string `env:"APP_SESSIONS" envDefault:"any"`
	// DPoPNonce asks for a nonce of the server's in every proof of a key.
	DPoPNonce bool `env:"DPOP_NONCE" envDefault:"false"`

	Redis   Redis   `envPrefix:"REDIS_"`
	Session Session `envPrefix:"SESSION_"`
	Account Account `envPrefix:"ACCOUNT_"`
	// DecoyKey (32 bytes) generates the credential ids of decoys for unknown accounts. It
	// must not change for as long as people use the service.
	DecoyKey []byte `env:"DECOY_KEY" secret:"true"`
	// AccessKeys are 32 bytes each: they seal the owners of packages and the records of
	// requests with an Idempotency-Key. The first seals, all open. With the embedded
	// platform, Load makes one if unset.
	AccessKeys [][]byte `env:"ACCESS_KEYS" secret:"true"`
	// TrustPlatformEmail lets the platform's e-mail address of a person make them the
	// owner or signer of packages.
	TrustPlatformEmail bool `env:"TRUST_PLATFORM_EMAIL" envDefault:"true"`
	// MaxUpload limits the total size of one upload.
	MaxUpload Size `env:"MAX_UPLOAD" envDefault:"40MiB"`
	// MaxDocuments limits the documents of a package, and MaxDocumentSize the file of one, to
	// what the platform's account takes (docs/platform.md S4).
	MaxDocuments    int  `env:"MAX_DOCUMENTS" envDefault:"10"`
	MaxDocumentSize Size `env:"MAX_DOCUMENT_SIZE" envDefault:"16MiB"`
	// SpoolDir is the directory for uploads that cannot be passed on yet.
	SpoolDir string `env:"SPOOL_DIR" envDefault:"/var/tmp"`
	// PDFCacheDir is the folder for PDFium's machine code, which must be this user's
	// alone; empty stands for the user's own cache folder.
	PDFCacheDir string `env:"PDF_CACHE_DIR"`
	// FontsDir is a folder of fonts for documents that do not hold their own; empty is none.
	FontsDir string `env:"FONTS_DIR"`
	// StepUpAge limits the age of a sign-in that may change authenticators.
	StepUpAge time.Duration `env:"STEP_UP_AGE" envDefault:"10m"`
	// CeremonyTTL limits how long a ceremony may stay open.
	CeremonyTTL time.Duration `env:"CEREMONY_TTL" envDefault:"5m"`
	// UserCase is fold if the platform treats Alice@x and alice@x as one person, and keep
	// if it treats them as two.
	UserCase string `env:"USER_CASE" envDefault:"fold"`
	// DefaultDomain is the domain of a user who is named without one; empty requires the
	// domain.
	DefaultDomain string `env:"DEFAULT_DOMAIN"`
	// Operators are the users, userID@domain in the spelling of UserCase, who may act for
	// the whole account.
	Operators []string `env:"OPERATORS" file:"lines"`
	Rates     Rates    `envPrefix:"RATE_"`
	// ConditionalCreate is on or off: whether a password manager makes a passkey by itself,
	// after a sign-in with a password.
	ConditionalCreate string `env:"CONDITIONAL_CREATE" envDefault:"off"`
	// PasskeyDeny are the AAGUIDs of passkeys that are not registered, in lower case.
	PasskeyDeny []string `env:"PASSKEY_DENY"`
	// UAFModels are the AAIDs of the UAF authenticators that the platform accepts
	// (docs/platform.md U2), in capitals; decoys for accounts without authenticators use
	// them.
	UAFModels []string `env:"UAF_MODELS"`
	// RevealAccountState tells everybody why a sign-in was refused: the account does not
	// exist, is locked or disabled.
	RevealAccountState bool `env:"REVEAL_ACCOUNT_STATE" envDefault:"false"`
	// RevealPasswordExpired tells a person who signs in with an expired password so, if
	// the platform says so.
	RevealPasswordExpired bool `env:"REVEAL_PASSWORD_EXPIRED" envDefault:"true"`
	// PushSignIn offers the approval on a phone on the sign-in page.
	PushSignIn bool `env:"PUSH_SIGN_IN" envDefault:"false"`
	// PushProtection is how people protect their answer to a push on their device: NoPIN, PIN
	// or Fingerprint (docs/platform.md I5).
	PushProtection string `env:"PUSH_PROTECTION" envDefault:"NoPIN"`
	// IdentityAdaptive is on or off: whether the platform gets what clients send for risk
	// analytics (docs/platform.md I5).
	IdentityAdaptive string `env:"IDENTITY_ADAPTIVE" envDefault:"off"`

	// PlatformURL is the platform's base URL without a trailing slash; empty
	// while the platform is embedded.
	PlatformURL string `env:"PLATFORM_URL"`
	// PlatformRelease is 22.R4 or 22.R3: the release whose error format the platform
	// uses.
	PlatformRelease string  `env:"PLATFORM_RELEASE" envDefault:"22.R4"`
	Identity        Service `envPrefix:"IDENTITY_"`
	Signing         Signing `envPrefix:"SIGNING_"`
	IDV             IDV     `envPrefix:"IDV_"`
	Events          Events  `envPrefix:"EVENTS_"`
	// UpstreamTimeout limits one call to the platform, except transfers.
	UpstreamTimeout time.Duration `env:"UPSTREAM_TIMEOUT" envDefault:"10s"`
	// RemoteTransactionTimeout limits a call that waits for a person's device.
	RemoteTransactionTimeout time.Duration `env:"REMOTE_TRANSACTION_TIMEOUT" envDefault:"60s"`
	// Paths replaces paths of the platform's operations.
	Paths Paths `env:"PLATFORM_PATHS"`

	// SandboxOn requests the embedded platform even if other settings suggest production.
	SandboxOn bool    `env:"SANDBOX" envDefault:"false"`
	Sandbox   Sandbox `envPrefix:"SANDBOX_"`
	Log       Log     `envPrefix:"LOG_"`
	// AuditLog is the destination of the audit trail: AuditOff, AuditStdout, a Redis
	// stream (AuditStream), or a file name.
	AuditLog string `env:"AUDIT_LOG"`
	// SMTP is the mail server for notices.
	SMTP SMTP `envPrefix:"SMTP_"`

	// Warnings are for the log at start, sorted, each beginning with its variable's name:
	// settings that are unknown, without effect or unwise, but not wrong.
	Warnings []string

	sources map[string]Source
	loaded  loaded
}

// The kinds of sessions that apps get.
const (
	AppSessionsAny   = "any"
	AppSessionsBound = "bound"
)

// Redis is the Redis that holds the sessions.
type Redis struct {
	// URL is in one of go-redis's own forms; empty while Redis is embedded.
	URL string `env:"URL" secret:"url"`
	// Mode is single, sentinel or cluster.
	Mode string `env:"MODE" envDefault:"single"`
	// Prefix begins the name of every key and channel.
	Prefix string `env:"PREFIX" envDefault:"cs:"`
	// ClientCert, ClientKey and CA are PEM; TLS has them ready for use.
	ClientCert Document `env:"CLIENT_CERT"`
	ClientKey  Document `env:"CLIENT_KEY" secret:"true"`
	CA         Document `env:"CA"`

	tls *tls.Config
}

// TLS returns a new TLS configuration for a Redis URL that asks for TLS, with the client
// certificate and the authority, if they are set.
func (r Redis) TLS() *tls.Config { return r.tls.Clone() }

// Session holds the keys and the lifetimes of sessions.
type Session struct {
	// Keys are 32 bytes each: the first seals, all open. With the embedded platform, Load
	// makes one if unset, and sessions end with the process.
	Keys [][]byte `env:"KEYS" secret:"true"`
	// Idle is the inactivity after which a session ends; at most Lifetime.
	Idle time.Duration `env:"IDLE" envDefault:"30m"`
	// Lifetime is the age at which a session ends, used or not.
	Lifetime time.Duration `env:"LIFETIME" envDefault:"12h"`
}

// Account says how often the platform is asked whether a signed-in person may still use
// their account.
type Account struct {
	// Check is the time after which the platform is asked again, at least minAccountCheck;
	// zero never asks.
	Check Interval `env:"CHECK" envDefault:"5m"`
	// Grace is the time without any answer of the platform after which packages and
	// verifications are refused; at least Check.
	Grace time.Duration `env:"GRACE" envDefault:"1h"`
}

// Rates are limits such as "10/m" or "off", in the form of internal/ratelimit.
type Rates struct {
	// SignIn counts failed sign-ins per account and address.
	SignIn string `env:"SIGN_IN" envDefault:"10/m"`
	// SignInAddress counts sign-ins per client address; it also limits the forms kept for
	// people whose session has ended.
	SignInAddress string `env:"SIGN_IN_ADDRESS" envDefault:"60/m"`
	// Ceremony counts ceremonies per session.
	Ceremony string `env:"CEREMONY" envDefault:"30/m"`
	// Push counts pushes to an account, from any address.
	Push string `env:"PUSH" envDefault:"3/m"`
	// CeremonyAddress counts signed-out ceremonies per client address.
	CeremonyAddress string `env:"CEREMONY_ADDRESS" envDefault:"60/m"`
	// Lookup counts, per session, the packages and transactions that have to be looked up
	// at the platform because they are not known to be the person's.
	Lookup string `env:"LOOKUP" envDefault:"60/m"`
	// Verification counts the transactions that a person creates at the platform.
	Verification string `env:"VERIFICATION" envDefault:"20/h"`
}

// Sandbox holds the settings of the embedded platform. Unset ones follow PublicOrigin and
// RPOrigins.
type Sandbox struct {
	// Addr is its address, host:port.
	Addr string `env:"ADDR" envDefault:"127.0.0.1:8081"`
	// APIKey is the key that its callers must send; empty lets the sandbox make one.
	APIKey string `env:"API_KEY" secret:"true"`
	// RPID and RPOrigins are the relying party of its FIDO2 server.
	RPID      string   `env:"RP_ID"`
	RPOrigins []string `env:"RP_ORIGINS"`
	// UAFAppID and UAFFacets are the application of its UAF server.
	UAFAppID  string   `env:"UAF_APP_ID"`
	UAFFacets []string `env:"UAF_FACETS"`
	// UAFMetadata is a JSON array of FIDO metadata statements that it trusts in addition
	// to its own.
	UAFMetadata Document `env:"UAF_METADATA"`
	// SMTPAddr is a mail server, host:port, that its e-mails are also delivered to, or
	// empty.
	SMTPAddr string `env:"SMTP_ADDR"`
	// Hosts are further host names, each with a port or for any, under which it answers.
	Hosts []string `env:"HOSTS"`
	// ManageKey is the key for /_manage/ from other machines; empty keeps them out.
	ManageKey string `env:"MANAGE_KEY" secret:"true"`
}

// LogJSON is the Format of a log for machines.
const LogJSON = "json"

// Log holds the level and the format of the log.
type Log struct {
	// Level is the lowest logged level; it is a slog.Leveler.
	Level Level `env:"LEVEL" envDefault:"info"`
	// Format is text or json; by default text with the embedded platform, else json.
	Format string `env:"FORMAT"`
}

// Document is a text such as PEM or JSON, given as it is, as the name of its file, or
// through _FILE.
type Document []byte

// Production reports whether the settings name a real platform, which excludes the
// embedded one.
func (c Config) Production() bool { return !c.unset("PLATFORM_URL") || !c.unset("IDENTITY_URL") }

// FoldUsers reports whether a person's name may be spelled in any case.
func (c Config) FoldUsers() bool { return c.UserCase == "fold" }

// EmbeddedRedis reports whether sessions are kept in the process itself.
func (c Config) EmbeddedRedis() bool { return c.Redis.URL == "" }

// WithPort returns c for a listener that was given port: an unset PublicOrigin, and
// settings that follow it, use that port. In production it changes nothing.
func (c Config) WithPort(port int) Config {
	c.follow(port)
	return c
}
