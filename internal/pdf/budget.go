package pdf

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// interpretedFactor is how much longer a file may take where PDFium is interpreted.
const interpretedFactor = 20

// budget is the time that a file has. It ends with the clock where nothing is known of the
// processor; else what counts is the time that the process had a processor, so that a file
// is not refused because the machine is busy.
type budget struct {
	// limit is the time of the file, late when it is over by the clock.
	limit time.Duration
	late  time.Time

	asked time.Time
	spent time.Duration // of the processor, before the file
}

// maxWait is how many times its limit a file may take by the clock.
const maxWait = 5

// first begins the budget: it ends late, but not before two thirds of the limit, since the
// process may have begun long after late was set.
func (b *budget) first(p *process) time.Duration {
	b.asked, b.spent = time.Now(), p.processor() //nolint:forbidigo // A process is given the machine's own time.
	return max(time.Until(b.late), b.limit*2/3)  //nolint:forbidigo // A process is given the machine's own time.
}

// next returns how long to wait further; nothing once the time is over.
func (b *budget) next(p *process) time.Duration {
	used := p.processor() - b.spent
	if used < 0 || b.spent == unknownTime {
		return 0
	}
	const step = 10 * time.Millisecond                             // no less than what the system counts
	left := min(b.limit-used, b.limit*maxWait-time.Since(b.asked)) //nolint:forbidigo // A process is given the machine's own time.
	if left <= 0 {
		return 0
	}
	return max(left, step)
}

// unknownTime stands for a time that the system does not tell.
const unknownTime = -1

// processor returns the time for which the process has had a processor, of all its threads.
func (p *process) processor() time.Duration {
	const user, system, hertz = 11, 12, 100 // after the name; what Linux counts for programs
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(p.command.Process.Pid) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) <= system {
		return unknownTime
	}
	var ticks int64
	for _, at := range []int{user, system} {
		n, err := strconv.ParseInt(string(fields[at]), 10, 64)
		if err != nil {
			return unknownTime
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / hertz)
}
