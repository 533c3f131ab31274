// Package drill_test breaks things on purpose, one at a time, while people use two nodes
// of the real binary behind a proxy, and counts the effects on them.
//
//	make test-failover    all of it, and the table of docs/operate/failover-tests.md
//	make soak     an hour of constant load
//
// Without the flags that make sets it runs a short form: a single Redis, fewer people and
// only the absolute rules, without time limits.
package drill_test
