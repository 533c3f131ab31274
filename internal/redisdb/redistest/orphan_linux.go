package redistest

import "syscall"

// dieWithParent makes the kernel end the server when the test binary dies without
// its clean-up, of a panic or a time-out.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
