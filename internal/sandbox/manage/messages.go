package manage

import (
	"net/http"
	"slices"
	"strings"

	"countersign/internal/sandbox/wire"
)

// conflicts are the system errors that sign-in and the FIDO calls answer with
// 409 like a business error (identity facts, 5.2).
var conflicts = []string{wire.InvalidRequestID}

// The operations on which a system error is a 500 even so; the second is the
// newer service's, which has errors of its own shape.
const newerOrchestration = "orchestrationCommandsV2"

var orchestration = []string{"registerUser", "orchestrationCommands", newerOrchestration}

// errorOf is the platform's answer with that message, whichever the release.
func errorOf(operation, message string) *wire.Error {
	refusal := wire.Orchestration(message)
	if slices.Contains(conflicts, message) && !slices.Contains(orchestration, operation) {
		refusal.Status = http.StatusConflict
	}
	return refusal
}

// releaseOf is the release whose errors an operation has unless another one is
// asked for.
func releaseOf(operation string) wire.Release {
	if operation == newerOrchestration {
		return wire.Release24R2
	}
	return ""
}

func joined(releases []wire.Release) string {
	var names []string
	for _, r := range releases {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}
