//go:build unix

package redistest

import (
	"os"
	"syscall"
)

// StallSignal and ResumeSignal are the signals of Stall and Resume.
const (
	StallSignal  = syscall.SIGSTOP
	ResumeSignal = syscall.SIGCONT
)

// kill ends a server and what it forked.
func kill(server *os.Process) error { return syscall.Kill(-server.Pid, syscall.SIGKILL) }
