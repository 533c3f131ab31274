package config

import "strings"

// formerSettings holds the settings of earlier versions, without Prefix, each with a text
// that says what to set instead.
var formerSettings = map[string]string{
	"VERIFICATION_CREATORS": renamedTo("IDV_CREATORS"),
	"VERIFICATION_ERASURE":  renamedTo("IDV_ERASURE"),

	"IDENTITY_TIMEOUT": renamedTo("UPSTREAM_TIMEOUT"),
	"SIGNING_TIMEOUT":  renamedTo("UPSTREAM_TIMEOUT"),
	"IDV_TIMEOUT":      renamedTo("UPSTREAM_TIMEOUT"),

	"REDIS_SENTINEL_USERNAME": nowInURL("the user before the @", "REDIS_URL"),
	"REDIS_SENTINEL_PASSWORD": nowInURL("the password before the @", "REDIS_URL") + "; Redis's own are its parameters username and password",

	"SMTP_ADDR":     nowInURL("smtp://host:port", "SMTP_URL"),
	"SMTP_USER":     nowInURL("the user before the @", "SMTP_URL"),
	"SMTP_PASSWORD": nowInURL("the password before the @", "SMTP_URL"),

	"GC_PERCENT":   "is Go's own variable GOGC now",
	"MEMORY_LIMIT": "is Go's own variable GOMEMLIMIT now",

	"CONFORMANCE_USER":     nowFlag("--user"),
	"CONFORMANCE_OTHER":    nowFlag("--other"),
	"CONFORMANCE_PASSWORD": nowFlag("--password-file"),
	"CONFORMANCE_UNKNOWN":  nowFlag("--unknown"),
	"CONFORMANCE_DISABLED": nowFlag("--disabled"),
	"CONFORMANCE_LOCKED":   nowFlag("--locked"),
	"CONFORMANCE_EXPIRED":  nowFlag("--expired"),
	"CONFORMANCE_ORIGIN":   nowFlag("--origin"),
	"CONFORMANCE_FACET":    nowFlag("--facet"),
	"CONFORMANCE_SIGNER":   nowFlag("--signer"),
	"CONFORMANCE_FILL":     nowFlag("--fill"),

	"PLATFORM_PATHS_LOGIN":                                nowPath("login"),
	"PLATFORM_PATHS_SESSION_STATUS":                       nowPath("sessionStatus"),
	"PLATFORM_PATHS_USER":                                 nowPath("getUser"),
	"PLATFORM_PATHS_GENERATE_FIDO_REGISTRATION_REQUEST":   nowPath("generateFidoRegistrationRequest"),
	"PLATFORM_PATHS_REGISTER_FIDO_DEVICE":                 nowPath("registerFidoDevice"),
	"PLATFORM_PATHS_GENERATE_FIDO_AUTHENTICATION_REQUEST": nowPath("generateFidoAuthenticationRequest"),
	"PLATFORM_PATHS_FIDO_REGISTRATIONS":                   nowPath("listFidoRegistrations"),
	"PLATFORM_PATHS_FIDO_REGISTRATION":                    nowPath("renameFidoRegistration", "deleteFidoRegistration"),
	"PLATFORM_PATHS_REGISTER_USER":                        nowPath("registerUser"),
	"PLATFORM_PATHS_ORCHESTRATION_COMMANDS":               nowPath("orchestrationCommands"),
	"PLATFORM_PATHS_VALIDATE_TRANSACTION":                 nowPath("validateTransaction"),
	"PLATFORM_PATHS_CREATE_TRANSACTION":                   nowPath("createTransaction"),
	"PLATFORM_PATHS_TRANSACTION":                          nowPath("getTransaction"),
	"PLATFORM_PATHS_VERIFICATION_RESULTS":                 nowPath("getTransactionVerification"),
	"PLATFORM_PATHS_EVIDENCE":                             nowPath("getEvidence"),
	"PLATFORM_PATHS_TRANSACTION_DOCUMENT":                 nowPath("getTransactionDocument"),
	"PLATFORM_PATHS_TRANSACTION_EVENT":                    nowPath("cancelTransaction"),
	"PLATFORM_PATHS_MARK_FOR_ERASURE":                     nowPath("markForErasure"),
	"PLATFORM_PATHS_UNMARK_FOR_ERASURE":                   nowPath("unmarkForErasure"),
	"PLATFORM_PATHS_SESSION_TOKEN":                        nowPath("createSessionToken"),
	"PLATFORM_PATHS_GENERATE_AUDIT_TRAIL":                 nowPath("generateAuditTrail"),
	"PLATFORM_PATHS_VERIFICATION_IMAGES":                  nowPath("getVerificationImages"),
	"PLATFORM_PATHS_VERIFICATION_IMAGE":                   nowPath("getTransactionData"),
	"PLATFORM_PATHS_DETAILED_REPORT":                      nowPath("getDetailedReport"),
}

// renamedTo returns the text for a setting that has another name.
func renamedTo(name string) string { return "is " + Prefix + name + " now" }

// nowPath returns the text for a former setting of an operation's path.
func nowPath(operations ...string) string {
	return "is " + strings.Join(operations, " and ") + " in the document " + Prefix + "PLATFORM_PATHS now"
}

// nowInURL returns the text for a setting that is now part of a URL.
func nowInURL(part, name string) string { return "is " + part + " of " + Prefix + name + " now" }

// nowFlag returns the text for a setting that is now a flag of countersign conformance.
func nowFlag(flag string) string { return "is " + flag + " of countersign conformance now" }

// formerSetting returns the text for a setting of an earlier version, or for its _FILE.
func formerSetting(name string) (says string, ok bool) {
	says, ok = formerSettings[strings.TrimSuffix(name, "_FILE")]
	return says, ok
}
