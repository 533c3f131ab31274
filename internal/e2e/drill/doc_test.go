// Package drill_test breaks things on purpose, one at a time, while people use two nodes
// of the real binary behind a proxy, and counts what they notice.
//
//	make drill    all of it, and the table of docs/operating.md
//	make soak     an hour of constant load
//
// Without the flags that make sets it does a short form: a single Redis, fewer people and
// what may never be, with no limit of time.
package drill_test
