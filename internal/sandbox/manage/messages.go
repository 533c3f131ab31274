package manage

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// The releases that faults can be asked for.
const (
	currentRelease = "22.R4"
	oldRelease     = "22.R3"
)

// The numeric codes of releases up to 22.R3, and what the specification calls
// them.
const (
	codeTransaction = -8006
	codeUnknown     = -8000
)

var codeMessages = map[int]string{
	codeTransaction: "Orchestration transaction error",
	codeUnknown:     "Unknown orchestration error",
}

// systemErrors are those of part 7.2 of the specification, verbatim, with the
// code that stands for them on 22.R3 and earlier (0: the message itself does).
var systemErrors = map[string]int{
	"Invalid Request ID": codeTransaction,
	"Unable to generate ephemeral key during activation step 1.":       codeUnknown,
	"Unable to find registration code in Shared Cache":                 codeUnknown,
	"An unknown error has occurred.":                                   0,
	"Could not process encrypted message":                              0,
	"Failed to encrypt data":                                           0,
	"The registration session was not found":                           0,
	"Failed to parse command":                                          0,
	"Unable to generate activation message during activation step 2.":  0,
	"Unable to add device during activation step 3.":                   0,
	"Unable to find an element during activation step 3.":              0,
	"Unable to activate device during activation step 4.":              0,
	"Unable to find an element during activation step 4.":              0,
	"Unable to find an element during register notification.":          0,
	"Unable to send remote authentication.":                            0,
	"Unable to send remote transaction.":                               0,
	"Unable to find an element during check mobile event.":             0,
	"Unable to find an element during encryption of response command.": 0,
	"Unable to encode mobile response.":                                0,
}

// conflicts are the system errors that sign-in and the FIDO calls answer with
// 409 like a business error (identity facts, 5.2).
var conflicts = []string{"Invalid Request ID"}

// orchestration are the operations on which a system error is a 500 even so.
var orchestration = []string{"registerUser", "orchestrationCommands"}

// errorOf is the platform's answer with that message. System errors are a 500, a
// user that does not exist is a 404, all else, texts of no table included, is the
// 409 of a business error.
func errorOf(operation, message, release string) *wire.Error {
	code, system := systemErrors[message]
	refusal := wire.Conflict(message)
	switch {
	case message == "User account not found":
		refusal.Status = http.StatusNotFound
	case system && (slices.Contains(orchestration, operation) || !slices.Contains(conflicts, message)):
		refusal.Status = http.StatusInternalServerError
	}
	if release == oldRelease && code != 0 {
		refusal.Code, refusal.Message = code, codeMessages[code]
	}
	return refusal
}
