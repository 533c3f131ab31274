package decoy

import (
	"context"
	"crypto/rand"
	"slices"
)

// fido2Record holds the parameters of a request that do not depend on the person or the
// answer.
type fido2Record struct {
	// Options lack challenge and credentials.
	Options requestOptions `json:"options"`
	// Challenge is its length in bytes.
	Challenge uint16 `json:"challenge"`
	// Credentials says whether that member is present, Transports whether a credential
	// ever had transports: one person's missing transports must not remove everybody
	// else's.
	Credentials bool `json:"credentials"`
	Transports  bool `json:"transports"`
}

func (f fido2Record) valid() bool { return f.Challenge > 0 }

func (r Records) realFIDO2(ctx context.Context, q Question, text string) (string, error) {
	options, err := readOptions(text)
	if err != nil {
		return "", err
	}
	hasTransports := func(d descriptor) bool { return len(d.Transports) > 0 }
	record := fido2Record{
		Options: options, Challenge: uint16(len(options.Challenge)), Credentials: options.AllowCredentials != nil,
		Transports: r.fido2(q).Transports || slices.ContainsFunc(options.AllowCredentials, hasTransports),
	}
	record.Options.Challenge, record.Options.AllowCredentials = nil, nil
	if err := r.update(ctx, q.name(), record); err != nil {
		return "", err
	}
	return options.encode()
}

func (r Records) decoyFIDO2(q Question, user string) (string, error) {
	record := r.fido2(q)
	options := record.Options
	options.Challenge = make([]byte, record.Challenge)
	_, _ = rand.Read(options.Challenge) // never fails: it ends the program instead
	if record.Credentials {
		options.AllowCredentials = r.service.person(user).credentials(record.Transports)
	}
	return options.encode()
}

// fido2 returns the record of q or, failing that, the record without a preference, with
// the preference put in as the platform would echo it, or the settings' values.
func (r Records) fido2(q Question) fido2Record {
	record, ok := read[fido2Record](r, q.name())
	if ok {
		return record
	}
	if record, ok = read[fido2Record](r, Question{Protocol: q.Protocol}.name()); !ok {
		record = fido2Record{
			Options:   requestOptions{Timeout: 180_000, RPID: r.service.rpID, UserVerification: "preferred"},
			Challenge: 32, Credentials: true,
		}
	}
	if q.UserVerification != "" && record.Options.UserVerification != "" {
		record.Options.UserVerification = q.UserVerification
	}
	return record
}
