package e2etest

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// Share runs tests one after the other against one program, each as a subtest named like
// its function. Each begins with a sandbox without faults and with an empty journal; data
// and sessions of the earlier tests stay.
func Share(t *testing.T, app *App, tests ...func(*testing.T, *App)) {
	t.Helper()
	for _, test := range tests {
		name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
		t.Run(name[strings.LastIndexByte(name, '.')+1:], func(t *testing.T) {
			Manage(t, app, "DELETE", "/faults", nil)
			Manage(t, app, "DELETE", "/journal", nil)
			test(t, app)
		})
	}
}
