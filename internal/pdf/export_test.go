package pdf

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
