package config

import (
	"fmt"
	"net/mail"
)

// Conformance says with whom countersign conformance tries the platform: the flags of the
// command. Embedded, the sandbox's people take the place of what is empty.
type Conformance struct {
	// User and Other are two active accounts, userID@domain, without authenticators;
	// Password is the static password of all.
	User, Other, Password string
	// Unknown is an account that the platform does not have.
	Unknown string
	// Disabled, Locked and Expired (whose password is) may not sign in.
	Disabled, Locked, Expired string
	// Origin is one that the platform takes FIDO2 responses from; empty is PublicOrigin.
	Origin string
	// Facet is one that the platform trusts in UAF responses.
	Facet string
	// Signer is an e-mail address that may be invited to sign.
	Signer string
	// Fill lets the account be filled with as many packages as a page of the list has.
	Fill bool
}

// CheckConformance is with in the normal form of each flag's rule. The error is Problems,
// each beginning with its flag: what breaks its rule, and in production what the command
// cannot do without.
func (c Config) CheckConformance(with Conformance) (Conformance, error) {
	var problems report
	for flag, t := range with.texts(&c) {
		if *t.value == "" {
			continue
		}
		normal, err := t.rule(*t.value)
		if err != nil {
			problems = append(problems, fmt.Sprintf("--%s: %v", flag, err))
		}
		*t.value = normal
	}
	for flag, value := range map[string]string{"user": with.User, "other": with.Other, "unknown": with.Unknown, "password-file": with.Password} {
		if c.Production() && value == "" {
			problems = append(problems, "--"+flag+": is required, with the rest of a tenant's test accounts")
		}
	}
	if len(problems) > 0 {
		return with, Problems(problems.sorted())
	}
	return with, nil
}

func (with *Conformance) texts(c *Config) map[string]textRule {
	return map[string]textRule{
		"user":     {&with.User, c.userID},
		"other":    {&with.Other, c.userID},
		"unknown":  {&with.Unknown, c.userID},
		"disabled": {&with.Disabled, c.userID},
		"locked":   {&with.Locked, c.userID},
		"expired":  {&with.Expired, c.userID},
		"origin":   {&with.Origin, rpOrigin},
		"facet":    {&with.Facet, facet},
		"signer":   {&with.Signer, emailAddress},
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
