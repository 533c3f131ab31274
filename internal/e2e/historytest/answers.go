package historytest

import "net/http"

// Answer holds the status of an answer, 0 if none came, and the key of its error.
type Answer struct {
	Status int
	Key    string
}

// OfCeremony says what the answer to a ceremony's response tells of the ceremony. A
// refusal of a sign-in tells no outsider what is wrong.
func OfCeremony(a Answer) Said {
	switch {
	case a.Status == http.StatusOK:
		return Accepted
	case a.Key == "ceremony.spent":
		return Over
	case a.Key == "ceremony.unknown":
		return Unknown
	case a.Status == http.StatusConflict && a.Key != "sign-in.refused":
		return Accepted // the platform refused it
	}
	return Unclear
}

// OfProof says what the answer to a request tells of the proof that came with it.
func OfProof(a Answer) Said {
	switch {
	case a.Status == http.StatusOK:
		return Accepted
	case a.Key == "session.proof":
		return Over
	}
	return Unclear
}

// OfSession says what the answer to a use of a session tells of the session; one that
// tells nothing need not be recorded.
func OfSession(a Answer) Said {
	switch a.Status {
	case http.StatusOK:
		return Used
	case http.StatusUnauthorized:
		return Over
	}
	return ""
}

// OfSignOut says what the answer to a sign-out tells of the session.
func OfSignOut(a Answer) Said {
	switch {
	case a.Status >= 200 && a.Status < 300:
		return Ended
	case a.Status == http.StatusUnauthorized:
		return Over
	}
	return Unclear
}
