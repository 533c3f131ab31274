package redistest

import "syscall"

// dieWithParent makes the kernel end the server if the test binary dies without cleaning
// up, from a panic or a time-out. The server and what it forks are a separate group.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
