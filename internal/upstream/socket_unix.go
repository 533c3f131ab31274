//go:build unix

package upstream

import (
	"errors"
	"net"
	"syscall"
)

// rawSocket returns what asks the socket of a connection; nil if it cannot be asked.
func rawSocket(conn net.Conn) syscall.RawConn {
	if raw, ok := conn.(syscall.Conn); ok {
		socket, err := raw.SyscallConn()
		if err == nil {
			return socket
		}
	}
	return nil
}

// readNow reads what the socket has; waits says that it has nothing yet.
func readNow(fd uintptr, p []byte) (n int, waits bool, err error) {
	n, err = syscall.Read(int(fd), p)
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), p)
	}
	return n, err == syscall.EAGAIN, err
}

// hasNothing reports whether the socket is open and has nothing to read.
func hasNothing(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
	return errors.Is(err, syscall.EAGAIN)
}
