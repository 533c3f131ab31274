package fault

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// upstreamMessage is a text of the platform and the row that it means.
type upstreamMessage struct {
	text string
	key  Key
}

// upstreamMessages are the platform's texts: those of part 7.2 of the specification,
// system errors and business errors, each in its order, those of docs/platform.md I12,
// and those of 22.R3 for which later releases have numbers. A text counts only in its
// row's scenarios; one text may mean several rows.
var upstreamMessages = []upstreamMessage{
	{"Invalid Request ID", OrchestrationRequestExpired},
	{"Unable to generate ephemeral key during activation step 1.", OrchestrationActivationPasswordWrong},
	{"Unable to find registration code in Shared Cache", OrchestrationActivationExpired},
	{"An unknown error has occurred.", OrchestrationActivationOutdated},
	{"Could not process encrypted message", OrchestrationMessageUnreadable},
	{"Failed to encrypt data", OrchestrationEncryptionFailed},
	{"The registration session was not found", OrchestrationSessionUnknown},
	{"Failed to parse command", OrchestrationCommandMalformed},
	{"Unable to generate activation message during activation step 2.", OrchestrationActivationMessage},
	{"Unable to add device during activation step 3.", OrchestrationDeviceNotAdded},
	{"Unable to find an element during activation step 3.", OrchestrationDeviceIncomplete},
	{"Unable to activate device during activation step 4.", OrchestrationDeviceNotActivated},
	{"Unable to find an element during activation step 4.", OrchestrationActivationIncomplete},
	{"Unable to find an element during register notification.", OrchestrationNotificationIncomplete},
	{"Unable to send remote authentication.", OrchestrationAuthenticationUnsent},
	{"Unable to send remote transaction.", OrchestrationTransactionUnsent},
	{"Unable to find an element during check mobile event.", OrchestrationEventIncomplete},
	{"Unable to find an element during encryption of response command.", OrchestrationResponseIncomplete},
	{"Unable to encode mobile response.", OrchestrationResponseNotEncoded},

	{"The authenticator limit has been reached", OrchestrationAuthenticatorLimit},
	{"The maximum number of authenticator instances that can be activated based on the given license has been exceeded. " +
		"Please contact your admin to reset the activation count", OrchestrationLicenseExhausted},
	{"User is disabled", AccountDisabled},
	{"Authentication failed", AuthenticationFailed},
	{"User account not found", AccountUnknown},
	{"User is locked", AccountLocked},
	{"Number of activation attempts exceeds number allowed", OrchestrationActivationAttempts},
	// In an activation the text means that none is free; in an authentication, that there
	// is none.
	{"No authenticators available", OrchestrationNoAuthenticators},
	{"No authenticators available", AuthenticationNoAuthenticator},
	{"Authenticator not supported", OrchestrationAuthenticatorUnsupported},
	{"Static password has expired", AccountPasswordExpired},

	{"Request ID is invalid", OrchestrationRequestExpired},
	{"User refused", AuthenticationDeclined},
	{"Timed out", AuthenticationTimedOut},
	{"Message not sent. Gateway exited with error and reported: invalid_destination.", AuthenticationInvalidDestination},
	{"Gateway exited with error", AuthenticationUndelivered},
	{"Failed to send push notification. No applicable digipass found. Instance should have both a PNID and a secure channel set.",
		AuthenticationNoDevice},
	{"Registration ceremony was not started", CeremonyNotStarted},
	{"UAF 1.1: Unacceptable Content. There was a problem with the contents of the message and the server was unwilling or unable to process it.",
		UAFUnacceptableContent},
	{"UAF 1.1: The server refused to service the request because the request message nonce was unknown, expired or the server has " +
		"previously serviced a message with the same nonce and user ID.", UAFRequestInvalid},
	// Assumed: the platform's own texts for a refused FIDO2 response are not public.
	{"FIDO2: the registration response could not be verified", WebAuthnUnverified},
	{"The authenticator is already registered", WebAuthnRegistered},

	{"Orchestration transaction error", OrchestrationTransactionError},
	{"Unknown orchestration error", OrchestrationUnknownError},
}

// bySpelling maps the normal spelling of upstreamMessages to their rows.
var bySpelling = func() map[string][]Key {
	m := make(map[string][]Key, len(upstreamMessages))
	for _, message := range upstreamMessages {
		m[normal(message.text)] = append(m[normal(message.text)], message.key)
	}
	return m
}()

// maxMessage is longer than any of upstreamMessages, in bytes.
const maxMessage = 512

var quotes = strings.NewReplacer("‘", "'", "’", "'", "‛", "'", "`", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "‐", "-", "\u200b", "", "\ufeff", "")

// normal returns the spelling in which texts are compared: compatibility characters,
// quotes and dashes as in ASCII, small letters, one space for any white space, and no
// full stop at the end. For a text longer than maxMessage it returns "".
func normal(text string) string {
	if len(text) > maxMessage {
		return ""
	}
	plain := quotes.Replace(norm.NFKC.String(strings.ToValidUTF8(text, "")))
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(plain), " ")), ". ")
}

// integer returns text as a number, or 0.
func integer(text string) int {
	n, err := strconv.Atoi(normal(text))
	if err != nil {
		return 0
	}
	return n
}
