//go:build !race

package pdf_test

// memoryTimes is how many times the memory a worker takes that it is bounded to.
const memoryTimes = 1
