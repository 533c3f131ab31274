package identity

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// written returns the JSON of an error in that release.
func written(t *testing.T, e *wire.Error, release string) string {
	t.Helper()
	text, err := json.Marshal(errorForm{}.Body(e, wire.ErrorContext{Release: release, At: noon, CorrelationID: "c-1"}))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestErrors_ByRelease(t *testing.T) {
	for _, one := range []struct {
		message string
		release string
		want    string
	}{
		{noEphemeralKey, release22R3, `{"status":500,"error":"Internal Server Error","message":"Unknown orchestration error","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z","errorCode":-8000}`},
		{noRegistrationCode, release22R3, `{"status":500,"error":"Internal Server Error","message":"Unknown orchestration error","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z","errorCode":-8000}`},
		{invalidRequestID, release22R3, `{"status":500,"error":"Internal Server Error","message":"Orchestration transaction error","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z","errorCode":-8006}`},
		{unparsableCommand, release22R3, `{"status":500,"error":"Internal Server Error","message":"Failed to parse command","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z"}`},
		{invalidRequestID, release22R4, `{"status":500,"error":"Internal Server Error","message":"Invalid Request ID","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z"}`},
		{userLocked, release22R3, `{"status":409,"error":"Conflict","message":"User is locked","service":"identity","logCorrelationID":"c-1","timestamp":"2030-01-01T12:00:00Z"}`},
	} {
		if got := written(t, orchestrationError(one.message), one.release); got != one.want {
			t.Errorf("%s, %q: %s", one.release, one.message, got)
		}
	}
}

func TestTrustedDeviceErrors_CategoryAndCode(t *testing.T) {
	for _, one := range []struct {
		refusal  *wire.Error
		category string
		code     int
	}{
		{orchestrationError(noEphemeralKey), "provisioning", -1200},
		{orchestrationError(userLocked), "user", -1100},
		{orchestrationError(invalidRequestID), "transaction", -1700},
		{wire.Invalid(wire.Violation{Field: "command", Message: "is required"}), "system", -1001},
		{wire.AsError(errors.New("the disk is on fire")), "system", -1000},
	} {
		var got struct {
			ErrorCategory    string           `json:"errorCategory"`
			ErrorCode        int              `json:"errorCode"`
			Message          string           `json:"message"`
			Command          string           `json:"command"`
			Service          string           `json:"service"`
			LogCorrelationID string           `json:"logCorrelationId"`
			Timestamp        string           `json:"timestamp"`
			ValidationErrors []wire.Violation `json:"validationErrors"`
		}
		text := written(t, one.refusal, release24R2)
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.ErrorCategory != one.category || got.ErrorCode != one.code || got.Message != one.refusal.Message ||
			got.Service == "" || got.LogCorrelationID != "c-1" || got.Timestamp != "2030-01-01T12:00:00Z" ||
			len(got.ValidationErrors) != len(one.refusal.Violations) {
			t.Errorf("%s", text)
		}
		command, err := hex.DecodeString(got.Command)
		if err != nil || len(command) == 0 {
			t.Errorf("command %q: %v", got.Command, err)
		}
	}
}
