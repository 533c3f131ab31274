package config

import "strings"

// gone are the settings of earlier versions, without Prefix, and what is said of each: what
// to set instead.
var gone = map[string]string{
	"VERIFICATION_CREATORS": now("IDV_CREATORS"),
	"VERIFICATION_ERASURE":  now("IDV_ERASURE"),

	"IDENTITY_TIMEOUT": now("UPSTREAM_TIMEOUT"),
	"SIGNING_TIMEOUT":  now("UPSTREAM_TIMEOUT"),
	"IDV_TIMEOUT":      now("UPSTREAM_TIMEOUT"),

	"REDIS_SENTINEL_USERNAME": inURL("the user before the @", "REDIS_URL"),
	"REDIS_SENTINEL_PASSWORD": inURL("the password before the @", "REDIS_URL") + "; Redis's own are its parameters username and password",

	"SMTP_ADDR":     inURL("smtp://host:port", "SMTP_URL"),
	"SMTP_USER":     inURL("the user before the @", "SMTP_URL"),
	"SMTP_PASSWORD": inURL("the password before the @", "SMTP_URL"),

	"GC_PERCENT":   "is Go's own variable GOGC now",
	"MEMORY_LIMIT": "is Go's own variable GOMEMLIMIT now",

	"CONFORMANCE_USER":     aFlag("--user"),
	"CONFORMANCE_OTHER":    aFlag("--other"),
	"CONFORMANCE_PASSWORD": aFlag("--password-file"),
	"CONFORMANCE_UNKNOWN":  aFlag("--unknown"),
	"CONFORMANCE_DISABLED": aFlag("--disabled"),
	"CONFORMANCE_LOCKED":   aFlag("--locked"),
	"CONFORMANCE_EXPIRED":  aFlag("--expired"),
	"CONFORMANCE_ORIGIN":   aFlag("--origin"),
	"CONFORMANCE_FACET":    aFlag("--facet"),
	"CONFORMANCE_SIGNER":   aFlag("--signer"),
	"CONFORMANCE_FILL":     aFlag("--fill"),

	"PLATFORM_PATHS_LOGIN":                                aPath("login"),
	"PLATFORM_PATHS_SESSION_STATUS":                       aPath("sessionStatus"),
	"PLATFORM_PATHS_USER":                                 aPath("getUser"),
	"PLATFORM_PATHS_GENERATE_FIDO_REGISTRATION_REQUEST":   aPath("generateFidoRegistrationRequest"),
	"PLATFORM_PATHS_REGISTER_FIDO_DEVICE":                 aPath("registerFidoDevice"),
	"PLATFORM_PATHS_GENERATE_FIDO_AUTHENTICATION_REQUEST": aPath("generateFidoAuthenticationRequest"),
	"PLATFORM_PATHS_FIDO_REGISTRATIONS":                   aPath("listFidoRegistrations"),
	"PLATFORM_PATHS_FIDO_REGISTRATION":                    aPath("renameFidoRegistration", "deleteFidoRegistration"),
	"PLATFORM_PATHS_REGISTER_USER":                        aPath("registerUser"),
	"PLATFORM_PATHS_ORCHESTRATION_COMMANDS":               aPath("orchestrationCommands"),
	"PLATFORM_PATHS_VALIDATE_TRANSACTION":                 aPath("validateTransaction"),
	"PLATFORM_PATHS_CREATE_TRANSACTION":                   aPath("createTransaction"),
	"PLATFORM_PATHS_TRANSACTION":                          aPath("getTransaction"),
	"PLATFORM_PATHS_VERIFICATION_RESULTS":                 aPath("getTransactionVerification"),
	"PLATFORM_PATHS_EVIDENCE":                             aPath("getEvidence"),
	"PLATFORM_PATHS_TRANSACTION_DOCUMENT":                 aPath("getTransactionDocument"),
	"PLATFORM_PATHS_TRANSACTION_EVENT":                    aPath("cancelTransaction"),
	"PLATFORM_PATHS_MARK_FOR_ERASURE":                     aPath("markForErasure"),
	"PLATFORM_PATHS_UNMARK_FOR_ERASURE":                   aPath("unmarkForErasure"),
	"PLATFORM_PATHS_SESSION_TOKEN":                        aPath("createSessionToken"),
	"PLATFORM_PATHS_GENERATE_AUDIT_TRAIL":                 aPath("generateAuditTrail"),
	"PLATFORM_PATHS_VERIFICATION_IMAGES":                  aPath("getVerificationImages"),
	"PLATFORM_PATHS_VERIFICATION_IMAGE":                   aPath("getVerificationImage"),
	"PLATFORM_PATHS_DETAILED_REPORT":                      aPath("getDetailedReport"),
}

// now is said of a setting that has another name.
func now(name string) string { return "is " + Prefix + name + " now" }

// aPath is said of the setting of the path of operations.
func aPath(operations ...string) string {
	return "is " + strings.Join(operations, " and ") + " in the document " + Prefix + "PLATFORM_PATHS now"
}

// inURL is said of a setting that has become a part of another, which is a URL.
func inURL(part, name string) string { return "is " + part + " of " + Prefix + name + " now" }

// aFlag is said of a setting of countersign conformance.
func aFlag(flag string) string { return "is " + flag + " of countersign conformance now" }

// goneSetting is what is said of a setting of an earlier version, or of its _FILE.
func goneSetting(name string) (says string, ok bool) {
	says, ok = gone[strings.TrimSuffix(name, "_FILE")]
	return says, ok
}
