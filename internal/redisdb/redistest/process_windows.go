package redistest

import (
	"os"
	"syscall"
)

// StallSignal and ResumeSignal are the signals of Stall and Resume, which Windows does not have: their tests fail there.
const (
	StallSignal  = syscall.Signal(19)
	ResumeSignal = syscall.Signal(18)
)

func kill(server *os.Process) error { return server.Kill() }

// dieWithParent exists on Linux alone; elsewhere a crashed test leaves its server.
func dieWithParent() *syscall.SysProcAttr { return nil }
