package config

// setPlatform says how to use the real platform or confirm the embedded one.
const setPlatform = "set %[1]sPLATFORM_URL, or %[1]sSANDBOX=on if the sandbox is meant"

// embedded refuses the embedded platform if other settings suggest production: one
// forgotten variable must not open the service to the sandbox's people, whose passwords
// are public.
func (l *loader) embedded() {
	c := &l.config
	if c.Production() {
		for _, s := range settings() {
			if s.sandbox() && !c.unset(s.name) && (s.name != "SANDBOX" || c.SandboxOn) {
				l.problems.add(s.name, "is a setting of the embedded platform, which is refused with %sPLATFORM_URL", Prefix)
			}
		}
		return
	}
	if origin := c.PublicOrigin; origin != (Origin{}) && !origin.Loopback() && !c.SandboxOn {
		l.problems.add("PUBLIC_ORIGIN", "%[2]s is not this machine, and the platform is embedded: "+setPlatform, Prefix, origin)
	}
}

// Sandbox holds the settings of the embedded platform. Unset ones follow PublicOrigin and
// RPOrigins.
type Sandbox struct {
	// Addr is the sandbox's address.
	// Example: 127.0.0.1:9001
	//
	// Its passwords are public: keep it on this machine.
	Addr string `env:"ADDR" envDefault:"127.0.0.1:8081" rule:"address"`
	// APIKey is the key that callers of the sandbox must send.
	// Default: made at start
	// Example: /run/secrets/sandbox-key
	APIKey string `env:"API_KEY" secret:"true"`
	// RPID is the relying party ID of the sandbox's FIDO2 server.
	// Default: `localhost`, the public origin's host
	// Example: sign.example.com
	RPID string `env:"RP_ID" rule:"canonicalHostname"`
	// RPOrigins are the origins that the sandbox's FIDO2 server accepts.
	// Default: `http://localhost:8080`, `COUNTERSIGN_RP_ORIGINS` and the facets of the apps
	// Example: https://sign.example.com
	RPOrigins []string `env:"RP_ORIGINS" rule:"rpOrigin"`
	// UAFAppID is the application ID of the sandbox's UAF server.
	// Default: `http://localhost:8080/uaf/facets`, below the public origin
	// Example: https://sign.example.com/uaf/facets
	UAFAppID string `env:"UAF_APP_ID" rule:"appID"`
	// UAFFacets are the facets that the sandbox's UAF server trusts: origins,
	// `android:apk-key-hash:…`, `ios:bundle-id:…`.
	// Default: `http://localhost:8080`, `COUNTERSIGN_RP_ORIGINS` and the facets of the apps
	// Example: https://sign.example.com
	UAFFacets []string `env:"UAF_FACETS" rule:"facet"`
	// UAFMetadata is a JSON array of FIDO metadata statements that the sandbox trusts beside its own.
	// Example: /etc/countersign/metadata.json
	UAFMetadata Document `env:"UAF_METADATA"`
	// SMTPAddr is a mail server, host:port, that also receives the sandbox's e-mails, without a
	// password.
	// Example: 127.0.0.1:1025
	SMTPAddr string `env:"SMTP_ADDR" rule:"address"`
	// Hosts are further host names that the sandbox answers to; without a port, at any port.
	// Example: sandbox,10.0.2.2:8081
	//
	// `countersign sandbox --host` adds some.
	Hosts []string `env:"HOSTS" rule:"siteHost"`
	// ManageKey is the key for `/_manage/` from other machines: `Authorization: Bearer`, or the form
	// at `/_manage/login`.
	// Example: /run/secrets/manage-key
	ManageKey string `env:"MANAGE_KEY" secret:"true"`
}
