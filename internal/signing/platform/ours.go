package platform

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// ours holds the place of data.countersign in a package, with the comma that goes with it;
// the zero value stands for a package that has none.
type ours struct{ from, to int }

// cutFrom removes it from the package, in its place.
func (o ours) cutFrom(value jsontext.Value) jsontext.Value {
	return append(value[:o.from], value[o.to:]...)
}

// findOurs reads a package once, to find what is ours in it. It returns false if quick
// does not know that it is strict JSON.
func findOurs(value jsontext.Value) (found ours, known bool) {
	f, _ := finders.Get().(*finder)
	defer f.release()
	known = f.read(value, f.pkg)
	return f.found, known
}

// finder finds what is ours in a package.
type finder struct {
	quick
	sought
}

// sought is the state of looking for what is ours.
type sought struct {
	found   ours
	last    int  // the end of the member before, in data; 0 for none
	isFirst bool // what was found is the first member of data
}

var finders = sync.Pool{New: func() any { return &finder{} }}

// release gives f back, without the text that it has read.
func (f *finder) release() {
	*f = finder{quick: quick{names: f.names}}
	finders.Put(f)
}

func (f *finder) pkg() bool {
	return f.object(func(name []byte) bool {
		if string(name) == "data" {
			return f.data()
		}
		return f.value()
	})
}

// data reads the value of data.
func (f *finder) data() bool {
	if f.space() != '{' {
		return f.value()
	}
	return f.object(f.ofData)
}

// ofData reads a member of data. Ours goes with the comma before it, or, if it is the
// first member, with all up to the next one.
func (f *finder) ofData(name []byte) bool {
	begin := f.nameAt
	if f.isFirst {
		f.found.to, f.isFirst = begin, false
	}
	isOurs := string(name) == "countersign"
	if !f.value() {
		return false
	}
	switch {
	case isOurs && f.last > 0:
		f.found = ours{f.last, f.at}
	case isOurs:
		f.found, f.isFirst = ours{begin, f.at}, true
	}
	f.last = f.at
	return true
}
