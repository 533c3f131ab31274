package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// With the JSON log format, every line is JSON, even before unusable settings end the
// program.
func TestLog_EveryLineIsJSON(t *testing.T) {
	for _, settings := range [][]string{
		{"COUNTERSIGN_PLATFORM_URL=https://tenant.example.com", "COUNTERSIGN_SESSION_IDLE=never"},
		{"COUNTERSIGN_LOG_FORMAT=json", "COUNTERSIGN_ADDR=nowhere"},
		{"COUNTERSIGN_LOG_FORMAT=json", "COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=192.0.2.1:1"},
	} {
		status, out, log := runs(t, t.Context(), "serve", settings...)
		if status == 0 || out != "" || log == "" {
			t.Errorf("%q: %d, stdout %q", settings, status, out)
		}
		for line := range strings.Lines(log) {
			var said map[string]any
			if err := json.Unmarshal([]byte(line), &said); err != nil || said["msg"] == nil || said["level"] == nil {
				t.Errorf("%q: %q is no line of the log: %v", settings, line, err)
			}
		}
	}
}
