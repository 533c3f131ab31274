package web

import "time"

const (
	// paceWindow is the time over which a body has to come fast enough, in seconds, and
	// paceLeast how many bytes a second that is.
	paceWindow = 30
	paceLeast  = 1 << 10
)

// pace is how fast a body comes while somebody is ready to read it: bytes by the second of
// that time, over the last paceWindow of them. The time in which nobody reads does not
// count: that is ours, or the platform's.
type pace struct {
	waited time.Duration
	bytes  [paceWindow]int64
}

// second is the one that is being waited for, or that has just ended.
func (p *pace) second() int { return int(max(0, p.waited-1) / time.Second) }

// patience is how long from now on nothing may come until the body is too slow.
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

// took notes that somebody waited so long and got n bytes.
func (p *pace) took(elapsed time.Duration, n int) {
	before := p.second()
	p.waited += max(0, elapsed)
	now := p.second()
	for second := before + 1; second <= min(now, before+paceWindow); second++ {
		p.bytes[second%paceWindow] = 0
	}
	p.bytes[now%paceWindow] += int64(n)
}
