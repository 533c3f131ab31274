package identity

// The messages that the platform itself sends (specification, part 7.2), verbatim.
const (
	userUnknown               = "User account not found"
	userDisabled              = "User is disabled"
	userLocked                = "User is locked"
	passwordExpired           = "Static password has expired"
	authenticationFailed      = "Authentication failed"
	noAuthenticators          = "No authenticators available"
	authenticatorLimit        = "The authenticator limit has been reached"
	activationsExceeded       = "Number of activation attempts exceeds number allowed"
	authenticatorNotSupported = "Authenticator not supported"
	invalidRequestID          = "Invalid Request ID"
	noEphemeralKey            = "Unable to generate ephemeral key during activation step 1."
	noRegistrationCode        = "Unable to find registration code in Shared Cache"
	unknownError              = "An unknown error has occurred."
	unparsableCommand         = "Failed to parse command"
	noNotificationElement     = "Unable to find an element during register notification."
)

// The numeric codes of releases up to 22.R3, with the specification's names.
const (
	codeTransaction = -8006
	codeUnknown     = -8000
)

var codeMessages = map[int]string{
	codeTransaction: "Orchestration transaction error",
	codeUnknown:     "Unknown orchestration error",
}

// category is a newer release's category of a message, with the sandbox's code in it.
type category struct {
	name string
	code int
}

// The categories. Only the first three codes are public; the others are the beginning of
// their category's range (docs/platform.md I13).
var (
	internalError  = category{"system", -1000}
	invalidInput   = category{"system", -1001}
	undecodable    = category{"system", -1002}
	user           = category{"user", -1100}
	provisioning   = category{"provisioning", -1200}
	authenticator  = category{"authenticator", -1300}
	session        = category{"session", -1400}
	authentication = category{"authentication", -1600}
	transaction    = category{"transaction", -1700}
)

// messageClass is the specification's classification of a message.
type messageClass struct {
	system bool
	// code replaces the message on 22.R3 and earlier; 0 keeps the message.
	code int
	category
}

// messages are the messages of part 7.2 of the specification, verbatim, from both tables
// in order. The sandbox chose the categories.
var messages = map[string]messageClass{
	invalidRequestID:                         {true, codeTransaction, transaction},
	noEphemeralKey:                           {true, codeUnknown, provisioning},
	noRegistrationCode:                       {true, codeUnknown, provisioning},
	unknownError:                             {true, 0, internalError},
	"Could not process encrypted message":    {true, 0, undecodable},
	"Failed to encrypt data":                 {true, 0, internalError},
	"The registration session was not found": {true, 0, session},
	unparsableCommand:                        {true, 0, undecodable},
	"Unable to generate activation message during activation step 2.": {true, 0, provisioning},
	"Unable to add device during activation step 3.":                  {true, 0, provisioning},
	"Unable to find an element during activation step 3.":             {true, 0, provisioning},
	"Unable to activate device during activation step 4.":             {true, 0, provisioning},
	"Unable to find an element during activation step 4.":             {true, 0, provisioning},
	noNotificationElement:                                              {true, 0, provisioning},
	"Unable to send remote authentication.":                            {true, 0, authentication},
	"Unable to send remote transaction.":                               {true, 0, transaction},
	"Unable to find an element during check mobile event.":             {true, 0, authentication},
	"Unable to find an element during encryption of response command.": {true, 0, internalError},
	"Unable to encode mobile response.":                                {true, 0, internalError},

	authenticatorLimit: {category: authenticator},
	"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count": {category: authenticator},
	userDisabled:              {category: user},
	authenticationFailed:      {category: authentication},
	userUnknown:               {category: user},
	userLocked:                {category: user},
	activationsExceeded:       {category: provisioning},
	noAuthenticators:          {category: authenticator},
	authenticatorNotSupported: {category: authenticator},
	passwordExpired:           {category: user},
}
