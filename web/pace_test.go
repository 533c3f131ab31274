package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// pieces is a body that comes in listed pieces: so many bytes, after so long.
type pieces struct {
	every time.Duration
	sizes []int
	ahead *time.Duration
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.sizes) == 0 {
		return 0, io.EOF
	}
	*p.ahead += p.every
	n := p.sizes[0]
	p.sizes = p.sizes[1:]
	clear(b[:n])
	return n, nil
}

func (p *pieces) Close() error { return nil }

// times returns n repeated count times.
func times(count, n int) []int {
	all := make([]int, count)
	for i := range all {
		all[i] = n
	}
	return all
}

// A body goes on as long as every 30 seconds of waiting bring 30 KiB.
func TestPace_MinimumRate(t *testing.T) {
	const second, kib = time.Second, 1 << 10
	for name, one := range map[string]struct {
		every time.Duration
		sizes []int
		slow  bool
	}{
		"just fast enough":               {second, times(300, kib), false},
		"just too slow":                  {second, times(300, kib-1), true},
		"in time, however little":        {second, times(29, 1), false},
		"little, too late":               {second, times(31, 1), true},
		"in rare bursts":                 {29 * second, times(10, 32*kib), false},
		"in bursts that are too rare":    {31 * second, times(3, 32*kib), true},
		"a byte at a time, fast":         {time.Second / (2 * kib), times(100*kib, 1), false},
		"fast, then creeping":            {second, append(times(100, 32*kib), times(60, 1)...), true},
		"fast, then creeping to its end": {second, append(times(100, 32*kib), times(28, 1)...), false},
		"creeping, then fast":            {second, append(times(29, 0), times(100, 32*kib)...), false},
		"an hour without a byte":         {time.Hour, times(1, 32*kib), true},
		"nothing":                        {second, nil, false},
	} {
		var ahead time.Duration
		begun := time.Now()
		state := &request.State{}
		body := &movingBody{
			ReadCloser: &pieces{one.every, one.sizes, &ahead}, conn: http.NewResponseController(deaf{}), state: state,
			now: func() time.Time { return begun.Add(ahead) },
		}
		var err error
		for room := make([]byte, 64<<10); err == nil; {
			_, err = body.Read(room)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if fault.Is(err, fault.RequestTooSlow) != one.slow || err != nil && !one.slow || (state.AbortCause() != nil) != one.slow {
			t.Errorf("%s: %v after %v", name, err, ahead)
		}
	}
}

// While nobody reads a body, its time stands still.
func TestPace_StopsWhileUnread(t *testing.T) {
	var ahead time.Duration
	begun := time.Now()
	from := iotest.OneByteReader(bytes.NewReader(make([]byte, 100)))
	body := &movingBody{
		ReadCloser: io.NopCloser(from), conn: http.NewResponseController(deaf{}), state: &request.State{},
		now: func() time.Time { return begun.Add(ahead) },
	}
	for {
		ahead += time.Hour
		if _, err := body.Read(make([]byte, 10)); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// deaf is an answer whose connection ignores deadlines.
type deaf struct{ http.ResponseWriter }

// silent is a connection on which nothing comes until its deadline.
type silent struct {
	http.ResponseWriter
	over chan struct{}
}

func (s silent) SetReadDeadline(at time.Time) error {
	if !at.After(time.Now()) {
		close(s.over)
	}
	return nil
}

func (s silent) Read([]byte) (int, error) {
	<-s.over
	return 0, os.ErrDeadlineExceeded
}

func (s silent) Close() error { return nil }

// A body of which nothing comes is given up after 30 seconds; the request is cut before
// its connection ends.
func TestBody_NothingArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, state, begun := silent{over: make(chan struct{})}, &request.State{}, time.Now()
		body := &movingBody{ReadCloser: s, conn: http.NewResponseController(s), now: time.Now, state: state}
		go func() {
			<-s.over
			if !fault.Is(state.AbortCause(), fault.RequestTooSlow) {
				t.Errorf("the connection ended first: %v", state.AbortCause())
			}
		}()
		if _, err := body.Read(make([]byte, 10)); !fault.Is(err, fault.RequestTooSlow) {
			t.Error(err)
		}
		if took := time.Since(begun); took != paceWindow*time.Second {
			t.Errorf("it took %v", took)
		}
		if _, err := body.Read(make([]byte, 10)); !fault.Is(err, fault.RequestTooSlow) {
			t.Errorf("once more: %v", err)
		}
	})
}
