package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// With a socket of systemd's, a connection made while no process runs is answered by the
// next process.
func TestSocketActivation_RestartLosesNoConnection(t *testing.T) {
	t.Parallel()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	file, err := socket.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	// Like systemd, the shell names the process that the socket is for.
	handed := e2etest.Binary{
		Path: "/bin/sh", Args: []string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, program.Path},
		Environ: slices.Concat(program.Environ, []string{"LISTEN_FDS=1"}), Files: []*os.File{file},
	}
	start := func() *e2etest.Process { return handed.Start(t, "serve", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0") }
	of := fmt.Sprintf("http://localhost:%d", socket.Addr().(*net.TCPAddr).Port)

	first := start()
	if first.URL != of {
		t.Fatalf("it serves %s, and systemd listens at %s", first.URL, of)
	}
	first.Terminate()
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)
	go func() {
		response, err := http.Get(of + "/session")
		if err != nil {
			answered <- 0
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()
	start()
	if status := <-answered; status != http.StatusUnauthorized && status != http.StatusOK {
		t.Errorf("who came between the two was answered %d", status)
	}
}

// Sockets for another process, or more sockets than addresses, are not taken.
func TestSocketActivation_OtherSocketsNotTaken(t *testing.T) {
	for _, environ := range [][]string{nil, {"LISTEN_FDS=1"}, {"LISTEN_FDS=1", "LISTEN_PID=1"}} {
		if listener, err := (command{environ: environ}).systemdSocket(); listener != nil || err != nil {
			t.Errorf("%q: %v, %v", environ, listener, err)
		}
	}
	var out, log logtest.Log
	two := []string{"LISTEN_FDS=2", fmt.Sprintf("LISTEN_PID=%d", os.Getpid())}
	if status := (command{environ: two, stdout: &out, stderr: &log}).run(t.Context(), nil); status != 1 || !strings.Contains(log.String(), "expected exactly one socket") {
		t.Errorf("two sockets: %d %s", status, log.String())
	}
}
