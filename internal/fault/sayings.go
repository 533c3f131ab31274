package fault

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// saying is a text of the platform and the row that it means, in the scenarios
// met or, where that is nil, in all.
type saying struct {
	text string
	key  Key
	met  []Scenario
}

// sayings are the platform's texts: of part 7.2 of the specification, system
// errors and business errors, each in its order, of sections 1.3 and 5.2 of the
// identity facts, and of 22.R3 where it has numbers. Of two with one text the
// first that fits the scenario counts.
var sayings = []saying{
	{"Invalid Request ID", OrchestrationRequestExpired, nil},
	{"Unable to generate ephemeral key during activation step 1.", OrchestrationActivationPasswordWrong, nil},
	{"Unable to find registration code in Shared Cache", OrchestrationActivationExpired, nil},
	{"An unknown error has occurred.", OrchestrationActivationOutdated, nil},
	{"Could not process encrypted message", OrchestrationMessageUnreadable, nil},
	{"Failed to encrypt data", OrchestrationEncryptionFailed, nil},
	{"The registration session was not found", OrchestrationSessionUnknown, nil},
	{"Failed to parse command", OrchestrationCommandMalformed, nil},
	{"Unable to generate activation message during activation step 2.", OrchestrationActivationMessage, nil},
	{"Unable to add device during activation step 3.", OrchestrationDeviceNotAdded, nil},
	{"Unable to find an element during activation step 3.", OrchestrationDeviceIncomplete, nil},
	{"Unable to activate device during activation step 4.", OrchestrationDeviceNotActivated, nil},
	{"Unable to find an element during activation step 4.", OrchestrationActivationIncomplete, nil},
	{"Unable to find an element during register notification.", OrchestrationNotificationIncomplete, nil},
	{"Unable to send remote authentication.", OrchestrationAuthenticationUnsent, nil},
	{"Unable to send remote transaction.", OrchestrationTransactionUnsent, nil},
	{"Unable to find an element during check mobile event.", OrchestrationEventIncomplete, nil},
	{"Unable to find an element during encryption of response command.", OrchestrationResponseIncomplete, nil},
	{"Unable to encode mobile response.", OrchestrationResponseNotEncoded, nil},

	{"The authenticator limit has been reached", OrchestrationAuthenticatorLimit, nil},
	{"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count", OrchestrationLicenseExhausted, nil},
	{"User is disabled", AccountDisabled, nil},
	{"Authentication failed", AuthenticationFailed, nil},
	{"User account not found", AccountUnknown, nil},
	{"User is locked", AccountLocked, nil},
	{"Number of activation attempts exceeds number allowed", OrchestrationActivationAttempts, nil},
	// Who authenticates has none registered; who activates finds none free.
	{"No authenticators available", AuthenticationNoAuthenticator, atSignIn},
	{"No authenticators available", OrchestrationNoAuthenticators, nil},
	{"Authenticator not supported", OrchestrationAuthenticatorUnsupported, nil},
	{"Static password has expired", AccountPasswordExpired, nil},

	{"Request ID is invalid", OrchestrationRequestExpired, nil},
	{"User refused", AuthenticationDeclined, nil},
	{"Timed out", AuthenticationTimedOut, nil},
	{"Message not sent. Gateway exited with error and reported: invalid_destination.", AuthenticationInvalidDestination, nil},
	{"Gateway exited with error", AuthenticationUndelivered, nil},
	{"Failed to send push notification. No applicable digipass found. Instance should have both a PNID and a secure channel set.",
		AuthenticationNoDevice, nil},
	{"Registration ceremony was not started", CeremonyNotStarted, nil},
	{"UAF 1.1: Unacceptable Content. There was a problem with the contents of the message and the server was unwilling or unable to process it.",
		UAFUnacceptableContent, nil},
	{"UAF 1.1: The server refused to service the request because the request message nonce was unknown, expired or the server has " +
		"previously serviced a message with the same nonce and user ID.", UAFRequestInvalid, nil},
	// Assumed: the platform's own words for what a FIDO2 server has against a
	// response are not public.
	{"FIDO2: the registration response could not be verified", WebAuthnUnverified, nil},
	{"The authenticator is already registered", WebAuthnRegistered, nil},

	{"Orchestration transaction error", OrchestrationTransactionError, nil},
	{"Unknown orchestration error", OrchestrationUnknownError, nil},
}

// bySpelling are the sayings by their normal spelling.
var bySpelling = func() map[string][]saying {
	m := make(map[string][]saying, len(sayings))
	for _, s := range sayings {
		m[normal(s.text)] = append(m[normal(s.text)], s)
	}
	return m
}()

// longestSaying is more than any of them has, in bytes.
const longestSaying = 512

var quotes = strings.NewReplacer("‘", "'", "’", "'", "‛", "'", "`", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "‐", "-", "\u200b", "", "\ufeff", "")

// normal is text in the one spelling that texts are compared in: compatibility
// characters, quotes and dashes as ASCII has them, small letters, one space
// where there is white space, and no full stop at the end.
func normal(text string) string {
	if len(text) > longestSaying {
		return ""
	}
	plain := quotes.Replace(norm.NFKC.String(strings.ToValidUTF8(text, "")))
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(plain), " ")), ". ")
}

// integer is text as a number; 0 if it is none.
func integer(text string) int {
	n, err := strconv.Atoi(normal(text))
	if err != nil {
		return 0
	}
	return n
}
