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
