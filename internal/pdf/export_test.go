package pdf

import (
	"io/fs"
	"os"
	"sync"
)

// MostMemory is what a process takes at most while it reads a file of a few bytes.
const MostMemory = maxPDFiumPages*pageSize + baseMemory + 48<<20

// Occupy takes every place for a process until release is called.
func (w *Workers) Occupy() (release func()) {
	for range cap(w.slots) {
		w.slots <- struct{}{}
	}
	return func() {
		for range cap(w.slots) {
			w.leave()
		}
	}
}

// KillIdle kills every idle process, as a system does that lacks memory, and returns how
// many there were.
func (w *Workers) KillIdle() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.idle {
		_ = p.command.Process.Kill()
	}
	return len(w.idle)
}

// ProcessesOn returns the number of processes on a machine of these files.
func ProcessesOn(machine fs.FS) int { return processesWithin(memoryBound(machine)) }

// Ended returns a function that returns how the processes ended so far.
func (w *Workers) Ended() func() []*os.ProcessState {
	var mu sync.Mutex
	var all []*os.ProcessState
	w.ended = func(p *process) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, p.command.ProcessState)
	}
	return func() []*os.ProcessState {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}
