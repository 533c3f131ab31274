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
	// URL is its base URL without a trailing slash, by default PlatformURL; empty with
	// the embedded platform.
	URL string `env:"URL"`
	// Token is sent after "Bearer ", Tenant as X-Tenant.
	Token  string `env:"TOKEN" secret:"true"`
	Tenant string `env:"TENANT" secret:"true"`
	// CA is PEM: the only authorities trusted for its certificate.
	CA Document `env:"CA"`
	// Workflows and Brands are the UUIDs, in lower case, that a transaction may have; the
	// first is the default. Empty stands for the sandbox's.
	Workflows []string `env:"WORKFLOWS"`
	Brands    []string `env:"BRANDS"`
	// ClientMembers are the members out of ClientMembers() that clients may
	// send.
	ClientMembers []string `env:"CLIENT_MEMBERS"`
	// Role is the default role of a token.
	Role string `env:"ROLE" envDefault:"customer"`
	// AccessURL is a template with {transaction} and {token}, for tokens that the
	// platform returns without an address; it may be empty.
	AccessURL string `env:"ACCESS_URL"`
	// SiteHosts are the hosts of the platform's pages: a host, or host:port. Empty stands
	// for the host of URL.
	SiteHosts []string `env:"SITE_HOSTS"`
	// RedirectOrigins are further origins that a person may be sent to afterwards.
	RedirectOrigins []string `env:"REDIRECT_ORIGINS"`
	// CallbackKey is the key that the platform's callbacks must carry; empty if there are
	// none.
	CallbackKey string `env:"CALLBACK_KEY" secret:"true"`
	// Creators says who may start a transaction: everybody or operators.
	Creators string `env:"CREATORS" envDefault:"everybody"`
	// Erasure says who may erase a transaction: operators, or starter for its starter
	// too.
	Erasure string `env:"ERASURE" envDefault:"operators"`
	// Sweep is the interval at which one node asks the platform about every active
	// transaction.
	Sweep time.Duration `env:"SWEEP" envDefault:"5m"`
	// LinkLifetime is the time for which a link to pass on counts, as pages tell it.
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
	// Lifetime limits how long one stream lasts.
	Lifetime time.Duration `env:"LIFETIME" envDefault:"5m"`
	// Max limits the streams of one node.
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
			l.warnings.add("IDV_CALLBACK_KEY", "is not set: an end of a verification is seen when somebody looks or the index is compared, not at once")
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
