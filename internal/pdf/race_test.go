//go:build race

package pdf_test

// memoryTimes is how many times the memory a worker takes under the race detector, at most.
const memoryTimes = 2
