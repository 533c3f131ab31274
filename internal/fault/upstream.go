package fault

// Family is the API that a response comes from.
type Family string

// Identity is the identity API, orchestration included.
const Identity Family = "identity"

// Release is a release of the platform, as far as it decides how errors are said.
type Release string

// The releases of part 7 of the specification: R4 is 22.R4 and later, which says
// errors in words; R3 is 22.R3 and earlier, which has numbers for some.
const (
	R4 Release = "22.R4"
	R3 Release = "22.R3"
)

// Scenario is what somebody was about to do, as part 7.2 of the specification
// names it.
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

// Upstream is what is understood of a refusal of the platform. Any of it may be
// missing: bodies are empty, pages of a gateway, cut off, or of another release.
type Upstream struct {
	Family  Family
	Release Release
	// Scenarios are those of the call.
	Scenarios []Scenario
	// Refused says that the response is a refusal: a 4xx, or a success that says no.
	Refused bool
	// Texts are what it says, the most telling first.
	Texts []string
	// Number is its errorCode; 0 if none.
	Number int
	// Category is the errorCategory of the newer orchestration service.
	Category string
	// UAFStatusCode is the FIDO UAF status code; 0 if none.
	UAFStatusCode int
}
