// Package drill_test breaks things on purpose, one at a time, while people use two nodes
// of the real binary behind a proxy, and counts what they notice.
//
//	make drill    all of it, and the table of docs/operating.md
//	make soak     an hour of constant load
//
// It is built with the tag drill alone; without the flags that make sets it does a short
// form.
package drill_test
