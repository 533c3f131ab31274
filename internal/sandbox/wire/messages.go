package wire

import "net/http"

// The numeric codes that releases up to 22.R3 answer with, and what the
// specification calls them.
const (
	codeTransaction = -8006
	codeUnknown     = -8000
)

var codeMessages = map[int]string{
	codeTransaction: "Orchestration transaction error",
	codeUnknown:     "Unknown orchestration error",
}

// Messages of the platform that its parts answer with (specification, part
// 7.2), verbatim.
const (
	UserUnknown               = "User account not found"
	UserDisabled              = "User is disabled"
	UserLocked                = "User is locked"
	PasswordExpired           = "Static password has expired"
	AuthenticationFailed      = "Authentication failed"
	NoAuthenticators          = "No authenticators available"
	AuthenticatorLimit        = "The authenticator limit has been reached"
	ActivationsExceeded       = "Number of activation attempts exceeds number allowed"
	AuthenticatorNotSupported = "Authenticator not supported"
	InvalidRequestID          = "Invalid Request ID"
	NoEphemeralKey            = "Unable to generate ephemeral key during activation step 1."
	NoRegistrationCode        = "Unable to find registration code in Shared Cache"
	UnknownError              = "An unknown error has occurred."
	UnparsableCommand         = "Failed to parse command"
	NoNotificationElement     = "Unable to find an element during register notification."
)

// kind is what a message of the specification is.
type kind struct {
	system bool
	// code stands for the message on 22.R3 and earlier; 0: the message itself.
	code int
	// area is where the newer releases put the message.
	area area
}

// messages are those of part 7.2 of the specification, verbatim, both tables in
// its order. The areas are the sandbox's own choice, within the public ranges.
var messages = map[string]kind{
	InvalidRequestID:                         {true, codeTransaction, transaction},
	NoEphemeralKey:                           {true, codeUnknown, provisioning},
	NoRegistrationCode:                       {true, codeUnknown, provisioning},
	UnknownError:                             {true, 0, internalError},
	"Could not process encrypted message":    {true, 0, undecodable},
	"Failed to encrypt data":                 {true, 0, internalError},
	"The registration session was not found": {true, 0, session},
	UnparsableCommand:                        {true, 0, undecodable},
	"Unable to generate activation message during activation step 2.": {true, 0, provisioning},
	"Unable to add device during activation step 3.":                  {true, 0, provisioning},
	"Unable to find an element during activation step 3.":             {true, 0, provisioning},
	"Unable to activate device during activation step 4.":             {true, 0, provisioning},
	"Unable to find an element during activation step 4.":             {true, 0, provisioning},
	NoNotificationElement:                                              {true, 0, provisioning},
	"Unable to send remote authentication.":                            {true, 0, authentication},
	"Unable to send remote transaction.":                               {true, 0, transaction},
	"Unable to find an element during check mobile event.":             {true, 0, authentication},
	"Unable to find an element during encryption of response command.": {true, 0, internalError},
	"Unable to encode mobile response.":                                {true, 0, internalError},

	AuthenticatorLimit: {area: authenticator},
	"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count": {area: authenticator},
	UserDisabled:              {area: user},
	AuthenticationFailed:      {area: authentication},
	UserUnknown:               {area: user},
	UserLocked:                {area: user},
	ActivationsExceeded:       {area: provisioning},
	NoAuthenticators:          {area: authenticator},
	AuthenticatorNotSupported: {area: authenticator},
	PasswordExpired:           {area: user},
}

// IsSystem reports whether message is a system error of the specification.
func IsSystem(message string) bool { return messages[message].system }

// Orchestration is the platform's answer with that message where a device talks
// to it: a system error is a 500, a user that does not exist a 404, all else,
// texts of no table included, the 409 of a business error.
func Orchestration(message string) *Error {
	switch {
	case IsSystem(message):
		return Refuse(http.StatusInternalServerError, message)
	case message == UserUnknown:
		return Refuse(http.StatusNotFound, message)
	default:
		return Conflict(message)
	}
}
