package bench_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// The fixed platform stands before the sandbox and takes next to no time: it sends the
// sandbox's last answer to a GET again at once, as the same bytes, until anything but a
// GET passes through. What a relay costs is then not hidden by what the platform costs.

// fixedBefore is the environment of the fixed platform: the sandbox's address.
const fixedBefore = "FIXED_BEFORE"

// fixed starts the fixed platform before the sandbox and returns its URL.
func fixed(b *testing.B, sandbox string) string {
	b.Helper()
	_, address := start(b, role+"=fixed", fixedBefore+"="+sandbox)
	return "http://" + address
}

// start starts this binary in a role and returns its process and its address.
func start(b *testing.B, environ ...string) (pid int, address string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env, cmd.Stderr = environ, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, &address); err != nil {
		b.Fatal(err)
	}
	return cmd.Process.Pid, address
}

// replay is the fixed platform.
type replay struct {
	before string
	mu     sync.RWMutex
	known  map[string][]byte // answers by request line
}

func serveFixed() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	r := &replay{before: os.Getenv(fixedBefore), known: map[string][]byte{}}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			reader := bufio.NewReader(conn)
			for r.one(conn, reader) == nil {
			}
		}()
	}
}

// one answers one request.
func (r *replay) one(conn net.Conn, reader *bufio.Reader) error {
	slice, err := reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	line := string(slice)
	r.mu.RLock()
	answer := r.known[line]
	r.mu.RUnlock()
	if answer == nil {
		return r.pass(conn, reader, line)
	}
	for {
		header, err := reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(header) == len("\r\n") {
			_, err = conn.Write(answer)
			return err
		}
	}
}

// pass asks the sandbox.
func (r *replay) pass(conn net.Conn, reader *bufio.Reader, line string) error {
	request, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader([]byte(line)), reader)))
	if err != nil {
		return err
	}
	out, err := http.NewRequest(request.Method, r.before+request.RequestURI, request.Body)
	if err != nil {
		return err
	}
	out.Header, out.ContentLength = request.Header, request.ContentLength
	response, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	response.Body, response.ContentLength, response.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	var answer bytes.Buffer
	if err := response.Write(&answer); err != nil {
		return err
	}
	r.mu.Lock()
	if request.Method != http.MethodGet {
		clear(r.known)
	} else if response.StatusCode == http.StatusOK {
		r.known[line] = answer.Bytes()
	}
	r.mu.Unlock()
	_, err = conn.Write(answer.Bytes())
	return err
}
