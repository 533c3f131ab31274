package wire_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/internal/sandbox/wire"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func written(e *wire.Error) string {
	w := httptest.NewRecorder()
	w.Header().Set(wire.CorrelationHeader, "c-1")
	wire.WriteError(w, e)
	return w.Body.String()
}

func TestReleases(t *testing.T) {
	for _, one := range []struct {
		message string
		release wire.Release
		want    string
	}{
		{wire.NoEphemeralKey, wire.Release22R3, `{"status":500,"error":"Internal Server Error","message":"Unknown orchestration error","errorCode":-8000}`},
		{wire.NoRegistrationCode, wire.Release22R3, `{"status":500,"error":"Internal Server Error","message":"Unknown orchestration error","errorCode":-8000}`},
		{wire.InvalidRequestID, wire.Release22R3, `{"status":500,"error":"Internal Server Error","message":"Orchestration transaction error","errorCode":-8006}`},
		{wire.UnparsableCommand, wire.Release22R3, `{"status":500,"error":"Internal Server Error","message":"Failed to parse command"}`},
		{wire.InvalidRequestID, wire.Release22R4, `{"status":500,"error":"Internal Server Error","message":"Invalid Request ID"}`},
		{wire.UserLocked, wire.Release22R3, `{"status":409,"error":"Conflict","message":"User is locked"}`},
	} {
		if got := written(wire.Orchestration(one.message).In(one.release, noon)); got != one.want {
			t.Errorf("%s, %q: %s", one.release, one.message, got)
		}
	}
}

func TestTrustedDeviceErrors(t *testing.T) {
	for _, one := range []struct {
		refusal  *wire.Error
		category string
		code     int
	}{
		{wire.Orchestration(wire.NoEphemeralKey), "provisioning", -1200},
		{wire.Orchestration(wire.UserLocked), "user", -1100},
		{wire.Orchestration(wire.InvalidRequestID), "transaction", -1700},
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
		text := written(one.refusal.In(wire.Release24R2, noon))
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

// Who asked for a release gets its errors, and everybody else the usual ones.
func TestReleaseOfARequest(t *testing.T) {
	call := func(*http.Request) (any, error) { return nil, wire.Orchestration(wire.InvalidRequestID) }
	plain := httptest.NewRequest(http.MethodGet, "/", nil)
	for want, r := range map[string]*http.Request{
		`{"status":500,"error":"Internal Server Error","message":"Invalid Request ID"}`:                                plain,
		`{"status":500,"error":"Internal Server Error","message":"Orchestration transaction error","errorCode":-8006}`: wire.WithRelease(plain, wire.Release22R3, noon),
	} {
		if w, _ := serve(call, r); w.Body.String() != want {
			t.Errorf("%s, want %s", w.Body, want)
		}
	}
	if wire.InRelease(nil, wire.Release24R2, noon) != nil {
		t.Error("no error became one")
	}
}
