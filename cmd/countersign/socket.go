package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
)

// firstSocket is the descriptor of the first socket that systemd hands over.
const firstSocket = 3

// systemdSocket returns the listening socket that systemd passes to the program
// (sd_listen_fds(3)), or nil if it passes none. Connections that arrive between the end
// of one process and the start of the next wait in that socket.
func (c command) systemdSocket() (net.Listener, error) {
	if !slices.Contains(c.environ, "LISTEN_PID="+strconv.Itoa(os.Getpid())) {
		return nil, nil
	}
	if !slices.Contains(c.environ, "LISTEN_FDS=1") {
		return nil, errors.New("systemd: expected exactly one socket")
	}
	file := os.NewFile(firstSocket, "the socket of systemd")
	defer file.Close() // the listener has a copy, which no child inherits
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket of systemd: %w", err)
	}
	return listener, nil
}
