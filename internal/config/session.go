package config

import "time"

// The kinds of sessions that apps get.
const (
	AppSessionsAny   = "any"
	AppSessionsBound = "bound"
)

// The kinds of sessions that browsers get.
const (
	BrowserSessionsAny   = "any"
	BrowserSessionsBound = "bound"
)

// Session holds the keys and the lifetimes of sessions.
type Session struct {
	// Keys are keys that encrypt sessions.
	// Default: made at start
	// Required: in production
	// Example: /run/secrets/session-keys
	//
	// The first encrypts, all decrypt ([rotation](operate/keys-and-secrets.md#key-rotation)).
	Keys [][]byte `env:"KEYS" secret:"true"`
	// Idle is the inactivity after which a session ends.
	// Default: `30m`, or the lifetime if shorter
	// Example: 15m
	Idle time.Duration `env:"IDLE" envDefault:"30m"`
	// Lifetime is the maximum age of a session.
	// Example: 8h
	//
	// A page opened longer ago than this cannot be
	// [recovered](integrate/pages.md#forms-after-the-end-of-a-session); a recovered form is kept for 24
	// hours.
	Lifetime time.Duration `env:"LIFETIME" envDefault:"12h"`
}

// Account says how often the platform is asked whether a signed-in person may still use
// their account.
type Account struct {
	// Check is the interval of [account status checks](operate/accounts.md#account-status-checks), at
	// least `10s`; `off` disables them.
	// Example: 1m
	Check Interval `env:"CHECK" envDefault:"5m"`
	// Grace is the time without a successful account check after which packages and identity checks
	// are refused; at least `COUNTERSIGN_ACCOUNT_CHECK`.
	// Example: 2h
	Grace time.Duration `env:"GRACE" envDefault:"1h"`
}

// Rates are limits such as "10/m" or "off", in the form of internal/ratelimit.
type Rates struct {
	// SignIn limits failed sign-ins per account and client address, and ten times as many per account.
	// Example: 5/m
	//
	// An attempt counts as failed until it succeeds.
	SignIn string `env:"SIGN_IN" envDefault:"10/m" rule:"rate"`
	// SignInAddress limits sign-ins per client address, successful ones included.
	// Example: 600/m
	//
	// The same rate limits the forms of ended sessions that are kept.
	SignInAddress string `env:"SIGN_IN_ADDRESS" envDefault:"60/m" rule:"rate"`
	// Ceremony limits ceremonies per session.
	// Example: 60/m
	Ceremony string `env:"CEREMONY" envDefault:"30/m" rule:"rate"`
	// Push limits pushes per account from anywhere; one address can have one pending push per account.
	// Example: 5/m
	//
	// Second factors that the platform sends after a correct password have their own count with the
	// same limit, so that pushes cannot block password sign-ins. A second factor counts in both.
	Push string `env:"PUSH" envDefault:"3/m" rule:"rate"`
	// CeremonyAddress limits ceremonies without a session per client address.
	// Example: 120/m
	CeremonyAddress string `env:"CEREMONY_ADDRESS" envDefault:"60/m" rule:"rate"`
	// Lookup limits, per session, requests for packages and identity checks that are not known to be
	// the user's.
	// Example: 120/m
	//
	// Each costs a platform call.
	Lookup string `env:"LOOKUP" envDefault:"60/m" rule:"rate"`
	// Verification limits identity checks that a user starts.
	// Example: 50/h
	Verification string `env:"VERIFICATION" envDefault:"20/h" rule:"rate"`
}
