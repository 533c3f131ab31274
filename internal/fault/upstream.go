package fault

// Family is the API that a response comes from.
type Family string

// Identity is the identity API, orchestration included.
const Identity Family = "identity"

// Release is a release of the platform, as far as it decides the format of errors.
type Release string

// The releases of part 7 of the specification: R4 is 22.R4 and later, which describes
// errors in texts; R3 is 22.R3 and earlier, which uses numbers for some.
const (
	R4 Release = "22.R4"
	R3 Release = "22.R3"
)

// Scenario is the action under way, as part 7.2 of the specification names it.
type Scenario string

// The scenarios.
const (
	OnlineActivation     Scenario = "Online activation"
	Login                Scenario = "Login"
	Authentication       Scenario = "Authentication"
	Transaction          Scenario = "Transaction"
	RemoteAuthentication Scenario = "Remote authentication"
	RemoteTransaction    Scenario = "Remote transaction"
)

// Upstream is the parsed content of a platform's refusal. Any part may be missing: bodies
// may be empty, a gateway's page, cut off, or of another release.
type Upstream struct {
	Family  Family
	Release Release
	// Scenarios are the call's scenarios.
	Scenarios []Scenario
	// Refused says that the response is a refusal: a 4xx, or a 2xx that refuses.
	Refused bool
	// Texts are its texts, the most telling first.
	Texts []string
	// Number is its errorCode; 0 if none.
	Number int
	// Category is the errorCategory of the newer orchestration service.
	Category string
	// UAFStatusCode is the FIDO UAF status code; 0 if none.
	UAFStatusCode int
}
