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

// handedOver is the socket that systemd listens at for the program (sd_listen_fds(3)); nil
// where it does not. What comes while one process has ended and the next has not begun
// waits in it.
func (c command) handedOver() (net.Listener, error) {
	if !slices.Contains(c.environ, "LISTEN_PID="+strconv.Itoa(os.Getpid())) {
		return nil, nil
	}
	if !slices.Contains(c.environ, "LISTEN_FDS=1") {
		return nil, errors.New("systemd hands over another number of sockets than one")
	}
	file := os.NewFile(firstSocket, "the socket of systemd")
	defer file.Close() // the listener has a copy, which no child inherits
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("the socket of systemd: %w", err)
	}
	return listener, nil
}
