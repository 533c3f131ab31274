package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func TestSandbox_ReadyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ready")
	if err := os.WriteFile(file, []byte("http://127.0.0.1:1\n"), 0o600); err != nil { // of an earlier run
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		status, _, _ := runs(t, ctx, "sandbox --host test.example --ready-file "+file, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
		ended <- status
	}()
	var address string
	e2etest.Eventually(t, "the file is there", func() bool {
		text, err := os.ReadFile(file)
		address = strings.TrimSpace(string(text))
		return err == nil && address != "http://127.0.0.1:1"
	})
	for host, status := range map[string]int{"": http.StatusOK, "test.example": http.StatusOK, "other.example": http.StatusMisdirectedRequest} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/users/alice@sandbox", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("as %q: %s %s", host, response.Status, text)
		}
	}
	end()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d", status)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("after the end the file is there: %v", err)
	}
}

func TestSandbox_WrongArguments(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	wrongSeed := filepath.Join(t.TempDir(), "seed.yaml")
	if err := os.WriteFile(wrongSeed, []byte("people:\n- {user: a@b, status: away}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const free = "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0"
	for arguments, tc := range map[string]struct {
		status int
		says   string
	}{
		"sandbox extra":                           {2, `unknown arguments ["extra"]`},
		"sandbox --port 1":                        {2, "-port"},
		"sandbox --host":                          {2, "-host"},
		"sandbox --host http://a.example":         {2, "COUNTERSIGN_SANDBOX_HOSTS"},
		"sandbox --ready-file /nowhere/is/here":   {1, "the ready file"},
		"sandbox --seed /nowhere/seed.yaml":       {2, "/nowhere/seed.yaml"},
		"sandbox --seed " + wrongSeed:             {2, "line 2: people.0.status: must be one of"},
		"sandbox --seed ../../examples/seed.yaml": {0, ""},
		"sandbox --host a.example,b.example:1":    {0, ""},
	} {
		status, _, err := runs(t, over, arguments, free)
		if status != tc.status || !strings.Contains(err, tc.says) {
			t.Errorf("%s: %d %q", arguments, status, err)
		}
	}
	if status, out, _ := runs(t, over, "sandbox --help"); status != 0 || !strings.Contains(out, "-ready-file") {
		t.Errorf("%d %q", status, out)
	}
}
