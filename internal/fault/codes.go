package fault

// codeRange is a range of numbers, from first to last, both below zero.
type codeRange struct {
	first, last int
	key         Key
}

// codes are the numbers of errors: first those of 22.R3 and earlier (part 7.2 of the
// specification), then those of the newer orchestration service, single ones before the
// ranges that contain them (docs/platform.md I13).
var codes = []codeRange{
	{-8006, -8006, OrchestrationTransactionError},
	{-8000, -8000, OrchestrationUnknownError},

	{-1001, -1001, OrchestrationInputInvalid},
	{-1002, -1002, OrchestrationInputUnreadable},
	{-1099, -1000, OrchestrationSystemError},
	{-1199, -1100, OrchestrationUserError},
	{-1299, -1200, OrchestrationProvisioningError},
	{-1399, -1300, OrchestrationAuthenticatorError},
	{-1499, -1400, OrchestrationSessionError},
	{-1599, -1500, OrchestrationRiskError},
	{-1699, -1600, OrchestrationAuthenticationError},
	{-1799, -1700, OrchestrationTransactionError},
}

func numberRow(number int) Key {
	for _, c := range codes {
		if c.first <= number && number <= c.last {
			return c.key
		}
	}
	return ""
}

// categoryRows maps the values of errorCategory to rows (docs/platform.md I13).
var categoryRows = map[string]Key{
	"system":         OrchestrationSystemError,
	"user":           OrchestrationUserError,
	"provisioning":   OrchestrationProvisioningError,
	"authenticator":  OrchestrationAuthenticatorError,
	"session":        OrchestrationSessionError,
	"risk":           OrchestrationRiskError,
	"authentication": OrchestrationAuthenticationError,
	"transaction":    OrchestrationTransactionError,
}

// uafRows maps the UAF status codes of refusals to rows (FIDO UAF Protocol 1.1, section
// 3.1.2).
var uafRows = map[int]Key{
	1400: UAFBadRequest,
	1401: UAFUnauthorized,
	1403: UAFForbidden,
	1404: UAFNotFound,
	1408: UAFTimeout,
	1480: UAFUnknownAAID,
	1481: UAFUnknownKeyID,
	1490: UAFChannelBinding,
	1491: UAFRequestInvalid,
	1492: UAFUnacceptableAuthenticator,
	1493: UAFRevokedAuthenticator,
	1494: UAFUnacceptableKey,
	1495: UAFUnacceptableAlgorithm,
	1496: UAFUnacceptableAttestation,
	1497: UAFUnacceptableClient,
	1498: UAFUnacceptableContent,
	1500: UAFInternalError,
}
