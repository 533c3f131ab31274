//go:build !unix

package upstream

import (
	"errors"
	"net"
	"syscall"
)

// rawSocket returns nil: a socket cannot be asked here.
func rawSocket(net.Conn) syscall.RawConn { return nil }

func readNow(uintptr, []byte) (n int, waits bool, err error) { return 0, false, errors.ErrUnsupported }

func hasNothing(uintptr) bool { return true }
