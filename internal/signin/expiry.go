package signin

import "countersign/internal/fault"

// TellExpired returns err, the platform's refusal of password, marked as Proved if it
// says that this very password has expired: a platform that checks the password first
// says so only to a client that knows it. A sign-in without a password proves nothing.
func TellExpired(err error, password string) error {
	if err == nil || password == "" {
		return err
	}
	refusal := *fault.From(err)
	refusal.Proved = refusal.Specific == fault.AccountPasswordExpired
	return &refusal
}
