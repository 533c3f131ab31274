package web

import "time"

const (
	// paceWindow is the time, in seconds, over which a body has to come fast enough, and
	// paceLeast the required rate in bytes per second.
	paceWindow = 30
	paceLeast  = 1 << 10
)

// pace measures how fast a body comes while somebody waits for it: the bytes of each of
// the last paceWindow seconds of waiting. Time in which nobody reads does not count,
// because it is our own or the platform's.
type pace struct {
	waited time.Duration
	bytes  [paceWindow]int64
}

// second returns the second of waiting that is under way or has just ended.
func (p *pace) second() int { return int(max(0, p.waited-1) / time.Second) }

// patience returns for how long nothing may come before the body is too slow.
func (p *pace) patience() time.Duration {
	var sum int64
	for _, n := range p.bytes {
		sum += n
	}
	for end := p.second() + 1; ; end++ {
		if end >= paceWindow && sum < paceWindow*paceLeast {
			return time.Duration(end)*time.Second - p.waited
		}
		sum -= p.bytes[end%paceWindow] // the oldest, which is not in the next window
	}
}

// add notes that a read waited so long and got n bytes.
func (p *pace) add(elapsed time.Duration, n int) {
	before := p.second()
	p.waited += max(0, elapsed)
	now := p.second()
	for second := before + 1; second <= min(now, before+paceWindow); second++ {
		p.bytes[second%paceWindow] = 0
	}
	p.bytes[now%paceWindow] += int64(n)
}
