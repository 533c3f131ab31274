// Package config reads and checks the settings: environment variables with the prefix
// COUNTERSIGN_. A secret may also come from the file that a variable with the suffix _FILE names.
//
// It turns text into typed, normalised values, fills in the defaults, and reports every
// problem at once, each with its variable. It opens nothing, keeps nothing global and
// logs nothing; docs/configuration.md describes the settings for those who set them.
package config

import (
	"net/netip"
	"time"
)

// Prefix begins the name of every setting.
const Prefix = "COUNTERSIGN_"

// Config is every setting, checked, with the defaults filled in. A field's name in the
// environment is Prefix, the prefix of its struct, and its own. The tag secret hides a
// value from Redacted: "true" all of it, "url" the credentials in it; a secret, a
// Document and, one entry a line, a list with file:"lines" may come from a file.
//
// The comments of fields are the reference of docs/configuration.md: one sentence, then lines
// Default (if it is no constant), Required and Example, then paragraphs with more.
type Config struct {
	// Addr is the address of the public listener, host:port; port 0 picks a free port.
	// Default: `127.0.0.1:8080`; `:8080` in production
	// Example: 0.0.0.0:8443
	Addr string `env:"ADDR" rule:"address"`
	// AdminAddr is the address of health checks, metrics and profiles.
	// Example: 10.0.0.5:9090
	//
	// It has no authentication: keep it private.
	AdminAddr string `env:"ADMIN_ADDR" envDefault:"127.0.0.1:9090" rule:"address"`
	// PublicOrigin is the origin that users open: scheme, host and optional port, without a slash at
	// the end.
	// Default: `http://localhost:8080`, with the port of `COUNTERSIGN_ADDR`
	// Required: in production, with https
	// Example: https://sign.example.com
	//
	// It sets the cookie, the cross-origin checks and the relying party. Requests for another host get
	// 421.
	PublicOrigin Origin `env:"PUBLIC_ORIGIN"`
	// RPOrigins are all origins that a FIDO2 response may carry: web origins, and apps as
	// `android:apk-key-hash:` with the base64url SHA-256 of their certificate.
	// Default: `http://localhost:8080`, the public origin
	// Example: https://sign.example.com,https://login.example.com
	RPOrigins []string `env:"RP_ORIGINS" rule:"rpOrigin"`
	// Apps are the service's own mobile apps.
	Apps Apps `envPrefix:"APPS_"`
	// ChangePasswordURL is the https page where users change their platform password.
	// Example: https://accounts.example.com/password
	//
	// `/.well-known/change-password` redirects there, and so does a sign-in with an expired password.
	ChangePasswordURL string `env:"CHANGE_PASSWORD_URL" rule:"pageURL"`
	// DrainDelay is the time after SIGTERM for which requests are still served while `/readyz` answers
	// 503 ([rolling updates](operate/deploy.md#stop-and-rolling-updates)).
	// Default: `0s`; `5s` in production
	// Example: 10s
	DrainDelay Delay `env:"DRAIN_DELAY"`
	// DrainTimeout limits the time of open requests after the drain delay.
	// Example: 60s
	DrainTimeout time.Duration `env:"DRAIN_TIMEOUT" envDefault:"10s"`
	// HelpURL is the https page for users who cannot sign in.
	// Example: https://help.example.com/sign-in
	//
	// The sign-in page and errors that administrators must fix link to it.
	HelpURL string `env:"HELP_URL" rule:"pageURL"`
	// SPADir is a folder with the build of a single-page application, which is served at `/app/`
	// ([spa](integrate/spa.md)).
	// Example: /srv/app
	SPADir string `env:"SPA_DIR"`
	// TrustedProxies are the addresses and networks of reverse proxies whose
	// [`X-Forwarded-For`](operate/reverse-proxies.md#client-address) is used.
	// Example: 192.0.2.7,10.0.0.0/8
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES"`

	// AppSessions is `any`, or `bound` if every app must use [sender-constrained tokens
	// (DPoP)](integrate/dpop.md).
	// Example: bound
	//
	// With `bound`, sign-ins without a proof get 400, and `Basic` is refused, so the platform's SDKs
	// do not work below `/api`. Existing sessions continue.
	AppSessions string `env:"APP_SESSIONS" envDefault:"any" oneOf:"any,bound"`
	// BrowserSessions is `any`, or `bound` if browsers are asked to [bind their
	// sessions](integrate/spa.md#bound-browser-sessions) to a key of the device.
	// Example: bound
	//
	// With `bound`, a browser that has bound its session changes nothing without a proof of the key
	// (401 `session.proof`). Browsers that cannot bind sign in as with `any`. All nodes must know it.
	BrowserSessions string `env:"BROWSER_SESSIONS" envDefault:"any" oneOf:"any,bound"`
	// DPoPNonce requires a recent server nonce in every DPoP proof.
	// Example: true
	//
	// It costs an app one extra request every five minutes.
	DPoPNonce bool `env:"DPOP_NONCE" envDefault:"false"`

	Redis   Redis   `envPrefix:"REDIS_"`
	Session Session `envPrefix:"SESSION_"`
	Account Account `envPrefix:"ACCOUNT_"`
	// DecoyKey is the key that derives the passkeys shown for unknown accounts.
	// Default: made at start
	// Required: in production
	// Example: /run/secrets/decoy-key
	//
	// Never change it.
	DecoyKey []byte `env:"DECOY_KEY" secret:"true"`
	// AccessKeys are keys that encrypt package data in Redis and Countersign's data at the platform.
	// Default: made at start
	// Required: in production with e-signing or identity checks
	// Example: /run/secrets/access-keys
	//
	// [Keep old keys](operate/keys-and-secrets.md#key-rotation).
	AccessKeys [][]byte `env:"ACCESS_KEYS" secret:"true"`
	// TrustPlatformEmail matches users to packages by their platform e-mail address: they own packages
	// they sent and can read packages they are asked to sign.
	// Example: false
	//
	// Disable it if the platform does not verify addresses. While enabled, `emailAddress` of `POST
	// /users/register` is not passed on.
	TrustPlatformEmail bool `env:"TRUST_PLATFORM_EMAIL" envDefault:"true"`
	// MaxUpload limits the total size of one upload.
	// Example: 64MiB
	MaxUpload Size `env:"MAX_UPLOAD" envDefault:"40MiB"`
	// MaxDocuments limits the documents of a package, 1 to 100: as many as the platform account
	// allows.
	// Example: 20
	MaxDocuments int `env:"MAX_DOCUMENTS" envDefault:"10"`
	// MaxDocumentSize limits the file of a document, up to 256 MiB: as large as the platform account
	// allows.
	// Example: 32MiB
	MaxDocumentSize Size `env:"MAX_DOCUMENT_SIZE" envDefault:"16MiB"`
	// SpoolDir is the folder for waiting uploads and for displayed documents (256 MiB at most), in
	// unnamed files.
	// Example: /var/lib/countersign
	//
	// Use a disk, not memory.
	SpoolDir string `env:"SPOOL_DIR" envDefault:"/var/tmp"`
	// PDFCacheDir is the folder for PDFium's machine code, 22 MB.
	// Default: the user's cache folder
	// Example: /var/cache/countersign
	//
	// Without it, each start takes seconds longer. It must belong to the user, with mode 0700.
	PDFCacheDir string `env:"PDF_CACHE_DIR"`
	// FontsDir is a folder with up to 64 fonts (`.ttf`, `.otf`, `.ttc`) for documents without embedded
	// fonts.
	// Default: `/fonts` in the image
	// Example: /usr/share/fonts/opentype/noto
	//
	// Latin, Greek, Cyrillic and Hebrew are built in.
	FontsDir string `env:"FONTS_DIR"`
	// StepUpAge is the maximum age of a sign-in that may add or remove an authenticator.
	// Example: 5m
	StepUpAge time.Duration `env:"STEP_UP_AGE" envDefault:"10m"`
	// CeremonyTTL limits how long a FIDO ceremony may stay open.
	// Example: 3m
	CeremonyTTL time.Duration `env:"CEREMONY_TTL" envDefault:"5m"`
	// UserCase is `fold` if the platform treats `Alice@x` and `alice@x` as one user, else `keep`.
	// Example: keep
	UserCase string `env:"USER_CASE" envDefault:"fold" oneOf:"fold,keep"`
	// DefaultDomain is the domain of users that `POST /users/register` names without one.
	// Default: `sandbox`; none in production
	// Example: example
	DefaultDomain string `env:"DEFAULT_DOMAIN" rule:"domain"`
	// Operators are the [administrators](operate/accounts.md#administrators), `userID@domain`.
	// Default: `carol@sandbox`; none in production
	// Example: carol@example,dave@example
	//
	// A file has one user per line; `#` begins a comment.
	Operators []string `env:"OPERATORS" file:"lines" rule:"userID"`
	Rates     Rates    `envPrefix:"RATE_"`
	// ConditionalCreate is `on` or `off`: after a password sign-in, let the password manager create a
	// passkey by itself.
	// Example: on
	//
	// The platform must accept responses without user presence and verification; `countersign
	// conformance` checks it.
	ConditionalCreate string `env:"CONDITIONAL_CREATE" envDefault:"off" oneOf:"on,off"`
	// PasskeyDeny are the AAGUIDs of passkey models whose registration is refused (409
	// `ceremony.model`).
	// Example: fbfc3007-154e-4ecc-8c0b-6e020557d7bd
	//
	// Existing passkeys still work. A key without attestation can claim any model.
	PasskeyDeny []string `env:"PASSKEY_DENY" rule:"uuid"`
	// UAFModels are the AAIDs of all UAF authenticators that the platform accepts.
	// Default: the sandbox's; none in production
	// Example: 1234#ABCD
	//
	// Decoys name them. List all: a missing model is learned at its first sign-in, and then some decoys
	// change.
	UAFModels []string `env:"UAF_MODELS" rule:"aaid"`
	// RevealAccountState tells anonymous clients why a sign-in was refused, and so which accounts
	// exist.
	// Example: true
	//
	// Otherwise only the log has the reason.
	RevealAccountState bool `env:"REVEAL_ACCOUNT_STATE" envDefault:"false"`
	// RevealPasswordExpired tells users who sign in with an expired password that it has expired.
	// Example: false
	//
	// Disable it if the platform also says so for wrong passwords.
	RevealPasswordExpired bool `env:"REVEAL_PASSWORD_EXPIRED" envDefault:"true"`
	// PushSignIn offers sign-in by push on the sign-in page to all users.
	// Example: true
	PushSignIn bool `env:"PUSH_SIGN_IN" envDefault:"false"`
	// PushProtection is the minimum protection of a push response on the phone: `NoPIN`, `PIN` or
	// `Fingerprint`.
	// Example: PIN
	PushProtection string `env:"PUSH_PROTECTION" envDefault:"NoPIN" oneOf:"NoPIN,PIN,Fingerprint"`
	// IdentityAdaptive is `on` or `off`: pass on data for the platform's risk analytics.
	// Example: on
	//
	// A login with `cddc`, `relationshipRef` and `sessionID` is sent as `AdaptiveLoginInput`, with
	// `applicationRef`. Otherwise these members are dropped; `cddc` stays in a login of the signed-in
	// user. Pages send none.
	IdentityAdaptive string `env:"IDENTITY_ADAPTIVE" envDefault:"off" oneOf:"on,off"`

	// PlatformURL is the platform's base URL.
	// Default: embedded
	// Required: in production
	// Example: https://tenant.example.com/v1
	//
	// Its path, such as `/v1`, precedes all paths.
	PlatformURL string `env:"PLATFORM_URL" rule:"baseURL"`
	// PlatformRelease is the platform's error format: `22.R4` (and later) or `22.R3` (and earlier).
	// Example: 22.R3
	PlatformRelease string  `env:"PLATFORM_RELEASE" envDefault:"22.R4" oneOf:"22.R4,22.R3"`
	Identity        Service `envPrefix:"IDENTITY_"`
	Signing         Signing `envPrefix:"SIGNING_"`
	IDV             IDV     `envPrefix:"IDV_"`
	Events          Events  `envPrefix:"EVENTS_"`
	// UpstreamTimeout is the time to the first byte of a platform call.
	// Example: 20s
	//
	// File transfers may take longer.
	UpstreamTimeout time.Duration `env:"UPSTREAM_TIMEOUT" envDefault:"10s"`
	// RemoteTransactionTimeout is the time for a user's response to a push; at most the platform's own
	// limit.
	// Default: `1m`
	// Example: 90s
	RemoteTransactionTimeout time.Duration `env:"REMOTE_TRANSACTION_TIMEOUT" envDefault:"60s"`
	// Paths are operations with [other paths](#paths-of-the-platform) at this platform.
	// Example: /etc/countersign/paths.yaml
	Paths Paths `env:"PLATFORM_PATHS"`

	// SandboxOn starts the embedded platform although the public origin or a credential suggests
	// production.
	// Example: true
	//
	// Refused with `COUNTERSIGN_PLATFORM_URL`.
	SandboxOn bool    `env:"SANDBOX" envDefault:"false"`
	Sandbox   Sandbox `envPrefix:"SANDBOX_"`
	Log       Log     `envPrefix:"LOG_"`
	// AuditLog is the destination of the [audit trail](operate/audit-trail.md): `off`, `stdout`,
	// `redis:` and the name of a stream, or an absolute file name.
	// Default: `off`; `stdout` in production
	// Example: /var/log/countersign/audit.log
	AuditLog string `env:"AUDIT_LOG" rule:"auditLog"`
	// SMTP is the mail server for notices.
	SMTP SMTP `envPrefix:"SMTP_"`

	// Warnings are for the log at start, sorted, each beginning with its variable's name:
	// settings that are unknown, without effect or unwise, but not wrong.
	Warnings []string

	sources map[string]Source
	loaded  loadInput
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
