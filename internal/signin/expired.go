package signin

import "countersign/internal/fault"

// TellExpired returns err, by which the platform refuses password. Where it says that
// this very password has expired, whoever sent it knows it, and is told so: a platform
// that judges the password first says it of no other. A sign-in without a password
// proves nothing.
func TellExpired(err error, password string) error {
	if err == nil || password == "" {
		return err
	}
	refusal := *fault.From(err)
	refusal.Proved = refusal.Specific == fault.AccountPasswordExpired
	return &refusal
}
