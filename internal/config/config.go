// Package config reads the settings of Countersign from environment variables
// with the prefix COUNTERSIGN_, or, for secrets, from files named by the same
// variable with _FILE.
//
// It turns text into typed, normalised values, fills in the defaults, and
// reports every problem at once, each naming its variable. It opens nothing,
// keeps nothing global and logs nothing; docs/configuration.md describes each
// setting to the people who set them.
package config

import (
	"crypto/tls"
	"net/netip"
	"time"
)

// Prefix begins the name of every setting.
const Prefix = "COUNTERSIGN_"

// Config is every setting, checked, its defaults filled in. A field's name in
// the environment is Prefix, the prefix of the struct it is in, and its own.
// The tag secret hides a value from Redacted: "true" wholly, "url" but for what
// an address may show; a secret and a Document may come from a file.
type Config struct {
	// Addr is where people are served, host:port; port 0 picks a free one.
	Addr string `env:"ADDR"`
	// AdminAddr is where health, metrics and profiles are served, host:port.
	AdminAddr string `env:"ADMIN_ADDR" envDefault:"127.0.0.1:9090"`
	// PublicOrigin is the origin that people use. Embedded and unset it follows the
	// port of Addr; see WithPort.
	PublicOrigin Origin `env:"PUBLIC_ORIGIN"`
	// RPOrigins is every origin a FIDO2 response may carry, in canonical form,
	// android:apk-key-hash:… among them; PublicOrigin alone when unset.
	RPOrigins []string `env:"RP_ORIGINS"`
	// Apps are the mobile apps that are this service's own.
	Apps Apps `envPrefix:"APPS_"`
	// ChangePasswordURL is where people change the password that the platform
	// has for them; empty when nobody may be led there.
	ChangePasswordURL string `env:"CHANGE_PASSWORD_URL"`
	// DrainDelay is how long people are still served after the program was told to end
	// and /readyz says so; unset, it is for production alone.
	DrainDelay Delay `env:"DRAIN_DELAY"`
	// DrainTimeout is how long requests under way may take after that.
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"10s"`
	// HelpURL is where people who cannot sign in find help; empty when there is no
	// such page.
	HelpURL string `env:"HELP_URL"`
	// TrustedProxies are the addresses whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`

	Redis   Redis   `envPrefix:"REDIS_"`
	Session Session `envPrefix:"SESSION_"`
	// DecoyKey (32 bytes) makes the credential ids that unknown accounts answer
	// with; it stays the same for as long as people use the service.
	DecoyKey []byte `env:"DECOY_KEY" secret:"true"`
	// AccessKeys are 32 bytes each: they seal whose a package is and what is kept of
	// requests with an Idempotency-Key. The first seals, all open. Embedded and
	// unset, one is made by Load.
	AccessKeys [][]byte `env:"ACCESS_KEYS" secret:"true"`
	// TrustPlatformEmail says that an e-mail address of the platform makes its
	// person the owner or signer of packages.
	TrustPlatformEmail bool `env:"TRUST_PLATFORM_EMAIL" envDefault:"true"`
	// MaxUpload is how large one upload may be in all.
	MaxUpload Size `env:"MAX_UPLOAD" envDefault:"40MiB"`
	// SpoolDir is the directory where an upload waits that cannot be passed on yet.
	SpoolDir string `env:"SPOOL_DIR" envDefault:"/var/tmp"`
	// PDFCacheDir is the folder for the machine code of PDFium, which must be this user's
	// alone; empty is the user's own cache folder.
	PDFCacheDir string `env:"PDF_CACHE_DIR"`
	// StepUpAge is how fresh a sign-in must be to change authenticators.
	StepUpAge time.Duration `env:"STEP_UP_AGE" envDefault:"10m"`
	// CeremonyTTL is how long a ceremony may stay open, at most.
	CeremonyTTL time.Duration `env:"CEREMONY_TTL" envDefault:"5m"`
	// UserCase is fold where the platform takes Alice@x and alice@x for one
	// person, keep where it takes them for two.
	UserCase string `env:"USER_CASE" envDefault:"fold"`
	// DefaultDomain is the domain of a user who is named without one; empty where
	// none may be left out.
	DefaultDomain string `env:"DEFAULT_DOMAIN"`
	// Operators are the users, userID@domain in the spelling of UserCase, who may
	// act for the whole account.
	Operators []string `env:"OPERATORS"`
	Rates     Rates    `envPrefix:"RATE_"`
	// UAFModels are the AAIDs of the UAF authenticators that the platform accepts, in
	// capitals: accounts that have none seem to have these.
	UAFModels []string `env:"UAF_MODELS"`
	// RevealAccountState tells everybody why a sign-in was refused: that the
	// account does not exist, is locked or disabled.
	RevealAccountState bool `env:"REVEAL_ACCOUNT_STATE" envDefault:"false"`
	// RevealPasswordExpired tells whoever signs in with an expired password that it
	// is, where the platform says so.
	RevealPasswordExpired bool `env:"REVEAL_PASSWORD_EXPIRED" envDefault:"true"`
	// PushSignIn offers the approval on a phone on the sign-in page.
	PushSignIn bool `env:"PUSH_SIGN_IN" envDefault:"false"`

	// PlatformURL is the platform's base URL without a trailing slash; empty
	// while the platform is embedded.
	PlatformURL string `env:"PLATFORM_URL"`
	// PlatformRelease is 22.R4 or 22.R3: which errors the platform speaks.
	PlatformRelease string  `env:"PLATFORM_RELEASE" envDefault:"22.R4"`
	Identity        Service `envPrefix:"IDENTITY_"`
	Signing         Signing `envPrefix:"SIGNING_"`
	IDV             IDV     `envPrefix:"IDV_"`
	Events          Events  `envPrefix:"EVENTS_"`
	// UpstreamTimeout bounds one call to the platform that is no transfer.
	UpstreamTimeout time.Duration `env:"UPSTREAM_TIMEOUT" envDefault:"10s"`
	// RemoteTransactionTimeout bounds a call that waits for a person's device.
	RemoteTransactionTimeout time.Duration `env:"REMOTE_TRANSACTION_TIMEOUT" envDefault:"60s"`
	// Paths replace the paths of the platform's operations.
	Paths Paths `env:"PLATFORM_PATHS"`

	// SandboxOn says that the embedded platform is meant, whatever speaks for
	// production.
	SandboxOn bool    `env:"SANDBOX" envDefault:"false"`
	Sandbox   Sandbox `envPrefix:"SANDBOX_"`
	Log       Log     `envPrefix:"LOG_"`
	// AuditLog is where the audit trail goes: AuditOff, AuditStdout, a stream of Redis
	// (AuditStream), or the name of a file.
	AuditLog string `env:"AUDIT_LOG"`
	// SMTP is the mail server that notices are sent by.
	SMTP SMTP `envPrefix:"SMTP_"`

	// Warnings are for the log at start, sorted, each beginning with the name of
	// its variable: what is unknown, without effect or unwise, but no mistake.
	Warnings []string

	sources map[string]Source
}

// Redis says where sessions live.
type Redis struct {
	// URL is in one of go-redis's own forms; empty while Redis is embedded.
	URL string `env:"URL" secret:"url"`
	// Mode is single, sentinel or cluster.
	Mode string `env:"MODE" envDefault:"single"`
	// ClientCert, ClientKey and CA are PEM; TLS has them ready for use.
	ClientCert Document `env:"CLIENT_CERT"`
	ClientKey  Document `env:"CLIENT_KEY" secret:"true"`
	CA         Document `env:"CA"`

	tls *tls.Config
}

// TLS is what Redis is reached with where its URL asks for TLS: the client certificate
// and the authority, where they are set. It is the caller's own.
func (r Redis) TLS() *tls.Config { return r.tls.Clone() }

// Session says how sessions are sealed and how long they last.
type Session struct {
	// Keys are 32 bytes each: the first seals, all open. Embedded and unset, one
	// is made by Load and sessions end with the process.
	Keys [][]byte `env:"KEYS" secret:"true"`
	// Idle is the inactivity after which a session ends; never over Lifetime.
	Idle time.Duration `env:"IDLE" envDefault:"30m"`
	// Lifetime is the age at which a session ends, used or not.
	Lifetime time.Duration `env:"LIFETIME" envDefault:"12h"`
}

// Rates are limits, "10/m" or "off" each, as internal/ratelimit reads them.
type Rates struct {
	// SignIn counts failed sign-ins per account and address.
	SignIn string `env:"SIGN_IN" envDefault:"10/m"`
	// SignInAddress counts sign-ins per client address; as many forms are kept for people
	// whose session has ended.
	SignInAddress string `env:"SIGN_IN_ADDRESS" envDefault:"60/m"`
	// Ceremony counts ceremonies per session.
	Ceremony string `env:"CEREMONY" envDefault:"30/m"`
	// Push counts pushes to an account, from anywhere.
	Push string `env:"PUSH" envDefault:"3/m"`
	// CeremonyAddress counts signed-out ceremonies per client address.
	CeremonyAddress string `env:"CEREMONY_ADDRESS" envDefault:"60/m"`
	// Lookup counts, per session, the packages and transactions that the platform is asked about
	// because they are not known to be the person's.
	Lookup string `env:"LOOKUP" envDefault:"60/m"`
	// Verification counts the transactions that a person has the platform create.
	Verification string `env:"VERIFICATION" envDefault:"20/h"`
}

// Sandbox is the embedded platform. What is unset here follows PublicOrigin
// and RPOrigins.
type Sandbox struct {
	// Addr is where it listens, host:port.
	Addr string `env:"ADDR" envDefault:"127.0.0.1:8081"`
	// APIKey is what its callers must show; empty leaves the choice to it.
	APIKey string `env:"API_KEY" secret:"true"`
	// RPID and RPOrigins are the relying party its FIDO2 server serves.
	RPID      string   `env:"RP_ID"`
	RPOrigins []string `env:"RP_ORIGINS"`
	// UAFAppID and UAFFacets are the same for its UAF server.
	UAFAppID  string   `env:"UAF_APP_ID"`
	UAFFacets []string `env:"UAF_FACETS"`
	// UAFMetadata is a JSON array of FIDO metadata statements it trusts beside
	// its own.
	UAFMetadata Document `env:"UAF_METADATA"`
	// SMTPAddr is a mail server, host:port, that its e-mails are also delivered
	// to; empty is none.
	SMTPAddr string `env:"SMTP_ADDR"`
}

// LogJSON is the Format of a log for machines.
const LogJSON = "json"

// Log says what is logged and how.
type Log struct {
	// Level is the least that is logged; it is a slog.Leveler.
	Level Level `env:"LEVEL" envDefault:"info"`
	// Format is text or json; unset, text while the platform is embedded.
	Format string `env:"FORMAT"`
}

// Document is a text such as PEM or JSON: given as it is, or as the name of
// the file that holds it, or through _FILE.
type Document []byte

// Production reports whether a real platform is spoken to; the embedded one is
// refused then.
func (c Config) Production() bool { return !c.unset("PLATFORM_URL") || !c.unset("IDENTITY_URL") }

// FoldUsers reports whether one person's name may be spelled in any case.
func (c Config) FoldUsers() bool { return c.UserCase == "fold" }

// EmbeddedRedis reports whether sessions live in the process itself.
func (c Config) EmbeddedRedis() bool { return c.Redis.URL == "" }

// WithPort is c for a listener that was given port: an unset PublicOrigin, and
// what follows it, speaks of that port. In production nothing changes.
func (c Config) WithPort(port int) Config {
	c.follow(port)
	return c
}
