package platform_test

import (
	"net/http"
	"testing"

	identityapi "countersign/internal/identity/platform"
)

// The orchestration SDK's answers are the platform's, whole.
func TestOrchestrationCommands_Whole(t *testing.T) {
	const whole = `{"command":"00ff","more":{"a":[1.0]},"other":null}`
	c, _ := says(t, http.StatusOK, whole)
	got, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
	if err != nil || string(got) != whole {
		t.Errorf("%s, %v", got, err)
	}
}
