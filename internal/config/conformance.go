package config

import (
	"fmt"
	"net/mail"
)

// Conformance holds the flags of countersign conformance: the accounts with which it
// tries the platform. With the embedded platform, empty ones default to the sandbox's
// people.
type Conformance struct {
	// User and Other are two active accounts, userID@domain, without authenticators;
	// Password is the static password of all accounts.
	User, Other, Password string
	// Unknown is an account that the platform does not have.
	Unknown string
	// Disabled, Locked and Expired are accounts that may not sign in; Expired's password
	// has expired.
	Disabled, Locked, Expired string
	// Ended is an account that has expired.
	Ended string
	// Origin is an origin whose FIDO2 responses the platform accepts; empty stands for
	// PublicOrigin.
	Origin string
	// Facet is a facet that the platform trusts in UAF responses.
	Facet string
	// Signer is an e-mail address that may be invited to sign.
	Signer string
	// Fill fills the account with as many packages as a page of the list has.
	Fill bool
}

// CheckConformance returns the flags in normal form. The error is Problems, each
// beginning with its flag: invalid flags and, in production, missing ones.
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

// textRule is the value of a flag, and the rule that it follows.
type textRule struct {
	value *string
	rule  rule
}

func (with *Conformance) texts(c *Config) map[string]textRule {
	return map[string]textRule{
		"user":     {&with.User, c.userID},
		"other":    {&with.Other, c.userID},
		"unknown":  {&with.Unknown, c.userID},
		"disabled": {&with.Disabled, c.userID},
		"locked":   {&with.Locked, c.userID},
		"expired":  {&with.Expired, c.userID},
		"ended":    {&with.Ended, c.userID},
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

// ForConformance returns err without the problems of settings that countersign
// conformance does not use.
func ForConformance(err error) error {
	return except(err, "REDIS_URL", "SESSION_KEYS", "DECOY_KEY", "ACCESS_KEYS")
}
