package config

import (
	"fmt"
	"net/mail"
)

// Conformance says with whom countersign conformance tries the platform. Embedded,
// the sandbox's people are the defaults.
type Conformance struct {
	// User and Other are two active accounts, userID@domain, without authenticators;
	// Password is the static password of all.
	User     string `env:"USER"`
	Other    string `env:"OTHER"`
	Password string `env:"PASSWORD" secret:"true"`
	// Unknown is an account that the platform does not have.
	Unknown string `env:"UNKNOWN"`
	// Disabled, Locked and Expired (whose password is) may not sign in.
	Disabled string `env:"DISABLED"`
	Locked   string `env:"LOCKED"`
	Expired  string `env:"EXPIRED"`
	// Origin is one that the platform takes FIDO2 responses from; PublicOrigin where
	// it is unset.
	Origin string `env:"ORIGIN"`
	// Facet is one that the platform trusts in UAF responses.
	Facet string `env:"FACET"`
	// Signer is an e-mail address that may be invited to sign.
	Signer string `env:"SIGNER"`
	// Fill lets the account be filled with as many packages as a page of the list has.
	Fill bool `env:"FILL" envDefault:"false"`
}

func (c *Config) conformanceTexts() map[string]textRule {
	with := &c.Conformance
	return map[string]textRule{
		"CONFORMANCE_USER":     {&with.User, c.userID},
		"CONFORMANCE_OTHER":    {&with.Other, c.userID},
		"CONFORMANCE_UNKNOWN":  {&with.Unknown, c.userID},
		"CONFORMANCE_DISABLED": {&with.Disabled, c.userID},
		"CONFORMANCE_LOCKED":   {&with.Locked, c.userID},
		"CONFORMANCE_EXPIRED":  {&with.Expired, c.userID},
		"CONFORMANCE_ORIGIN":   {&with.Origin, rpOrigin},
		"CONFORMANCE_FACET":    {&with.Facet, facet},
		"CONFORMANCE_SIGNER":   {&with.Signer, emailAddress},
	}
}

func emailAddress(text string) (string, error) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text {
		return "", fmt.Errorf("%q is not an e-mail address", text)
	}
	return text, nil
}

// ForConformance is err without what is wrong with settings that countersign
// conformance does not use.
func ForConformance(err error) error {
	return except(err, "REDIS_URL", "SESSION_KEYS", "DECOY_KEY", "ACCESS_KEYS")
}

// Missing is Problems where not everybody is named that the cases need.
func (c Conformance) Missing() error {
	var problems report
	for name, value := range map[string]string{"USER": c.User, "OTHER": c.Other, "UNKNOWN": c.Unknown, "PASSWORD": c.Password} {
		if value == "" {
			problems.add("CONFORMANCE_"+name, "is required by countersign conformance")
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return Problems(problems.sorted())
}
