package pdf

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryForTwo is the memory in which two processes have room beside the program itself.
const memoryForTwo = 2*(maxPDFiumPages*pageSize+baseMemory+memoryPerByte*(16<<20)) + 256<<20

// pageSize is the size of a page of PDFium's memory.
const pageSize = 64 << 10

// processesWithin returns the number of processes for which memory suffices.
func processesWithin(memory uint64) int {
	if memory < memoryForTwo {
		return 1
	}
	return defaultProcesses
}

// memoryBound returns the memory that this process and its children may take: the least
// bound of their control groups, in the file system of the machine; where there is none,
// GOMEMLIMIT, of the operator who says what there is.
func memoryBound(machine fs.FS) uint64 {
	least := uint64(math.MaxUint64)
	groups, _ := fs.ReadFile(machine, "proc/self/cgroup") // elsewhere than on Linux there is none
	lines := bufio.NewScanner(bytes.NewReader(groups))
	for lines.Scan() {
		_, rest, _ := strings.Cut(lines.Text(), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		root, file := "sys/fs/cgroup", "memory.max"
		switch {
		case controllers == "":
		case strings.Contains(","+controllers+",", ",memory,"):
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for {
			least = min(least, boundIn(machine, path.Join(root, group, file)))
			if group == "/" || group == "." || group == "" {
				break
			}
			group = path.Dir(group)
		}
	}
	if least == math.MaxUint64 {
		least = uint64(debug.SetMemoryLimit(-1))
	}
	return least
}

// boundIn reads a bound; without one it returns the largest number.
func boundIn(machine fs.FS, name string) uint64 {
	const unlimited = 1 << 60 // what the first version of control groups has for none
	text, err := fs.ReadFile(machine, name)
	if err != nil {
		return math.MaxUint64
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n > unlimited {
		return math.MaxUint64
	}
	return n
}
