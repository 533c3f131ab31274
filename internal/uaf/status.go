package uaf

import (
	"errors"
	"fmt"
)

// Status is a UAF status code, as a server reports it for an operation (UAF
// application API and transport binding, section on server status codes).
type Status int

// The status codes of the protocol.
const (
	StatusOK                           Status = 1200
	StatusAccepted                     Status = 1202
	StatusBadRequest                   Status = 1400
	StatusUnauthorized                 Status = 1401
	StatusForbidden                    Status = 1403
	StatusNotFound                     Status = 1404
	StatusTimeout                      Status = 1408
	StatusUnknownAAID                  Status = 1480
	StatusUnknownKeyID                 Status = 1481
	StatusChannelBindingRefused        Status = 1490
	StatusRequestInvalid               Status = 1491
	StatusUnacceptableAuthenticator    Status = 1492
	StatusRevokedAuthenticator         Status = 1493
	StatusUnacceptableKey              Status = 1494
	StatusUnacceptableAlgorithm        Status = 1495
	StatusUnacceptableAttestation      Status = 1496
	StatusUnacceptableClientCapability Status = 1497
	StatusUnacceptableContent          Status = 1498
	StatusInternalError                Status = 1500
)

var statusNames = map[Status]string{
	StatusOK:                           "OK",
	StatusAccepted:                     "accepted",
	StatusBadRequest:                   "bad request",
	StatusUnauthorized:                 "unauthorised",
	StatusForbidden:                    "forbidden",
	StatusNotFound:                     "not found",
	StatusTimeout:                      "timeout",
	StatusUnknownAAID:                  "unknown AAID",
	StatusUnknownKeyID:                 "unknown KeyID",
	StatusChannelBindingRefused:        "channel binding refused",
	StatusRequestInvalid:               "request invalid",
	StatusUnacceptableAuthenticator:    "unacceptable authenticator",
	StatusRevokedAuthenticator:         "revoked authenticator",
	StatusUnacceptableKey:              "unacceptable key",
	StatusUnacceptableAlgorithm:        "unacceptable algorithm",
	StatusUnacceptableAttestation:      "unacceptable attestation",
	StatusUnacceptableClientCapability: "unacceptable client capabilities",
	StatusUnacceptableContent:          "unacceptable content",
	StatusInternalError:                "internal error",
}

// String returns the code's name, and the number of an unnamed one.
func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("status %d", int(s))
}

// Error is a refusal: the protocol's status for it, and the reason for the log. Neither
// contains key material, or more of the message than the names of its parts.
type Error struct {
	Status Status
	Reason string
	// Cause is a library's error, nil if the rule is this package's own.
	Cause error
}

// Error returns code, name, reason and cause in one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("uaf: %d %s: %s", int(e.Status), e.Status, e.Reason)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// StatusOf returns the status to report for err: 1200 for nil, the status of an *Error in
// its chain, and 1500 for any other error.
func StatusOf(err error) Status {
	if err == nil {
		return StatusOK
	}
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Status
	}
	return StatusInternalError
}

func refuse(status Status, format string, args ...any) error {
	return &Error{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// unacceptable refuses a message's content, the commonest refusal.
func unacceptable(format string, args ...any) error {
	return refuse(StatusUnacceptableContent, format, args...)
}

func refuseCause(status Status, cause error, format string, args ...any) error {
	return &Error{Status: status, Reason: fmt.Sprintf(format, args...), Cause: cause}
}
