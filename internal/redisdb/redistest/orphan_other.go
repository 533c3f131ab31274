//go:build !linux && !windows

package redistest

import "syscall"

// dieWithParent exists on Linux alone; elsewhere a crashed test leaves its server.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
