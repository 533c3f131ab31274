package browser_test

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// stopwatch holds the page's timers of more than ten seconds until pass is called, which
// moves the page's clock and runs the due ones. If none is due, or a request is under way
// (with its body, because the page holds a timer until it has read it), pass does nothing
// and returns false.
const stopwatch = `(() => {
	const [start, stop, clock] = [window.setTimeout, window.clearTimeout, Date.now];
	const held = new Map();
	const [request, read] = [window.fetch, Response.prototype.text];
	let ahead = 0, last = 0, under = 0;
	window.fetch = (...args) => {
		under++;
		return request(...args).catch((error) => {
			under--;
			throw error;
		});
	};
	Response.prototype.text = function() {
		return read.call(this).finally(() => start(() => under--));
	};
	Date.now = () => clock() + ahead;
	window.setTimeout = (act, delay = 0, ...args) => {
		if (delay < 10_000) {
			return start(act, delay, ...args);
		}
		held.set(--last, {due: Date.now() + delay, act: () => act(...args)});
		return last;
	};
	window.clearTimeout = (id) => held.delete(id) || stop(id);
	window.pass = (time) => {
		if (under > 0) {
			return false;
		}
		const due = [...held].filter(([, timer]) => timer.due <= Date.now() + time);
		ahead += due.length > 0 ? time : 0;
		for (const [id, timer] of due.sort(([, a], [, b]) => a.due - b.due)) {
			held.delete(id) && timer.act();
		}
		return due.length > 0;
	};
})()`

// script runs source at the start of every later page.
func (b *tab) script(source string) *tab {
	b.t.Helper()
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
	return b
}

// pass moves the page's time until a timer runs. The page must have been opened after
// script(stopwatch).
func (b *tab) pass(over time.Duration) {
	b.t.Helper()
	b.until("something happening after "+over.String(), func(ctx context.Context) (bool, string) {
		happened, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf("pass(%d)", over.Milliseconds())))
		return happened, fmt.Sprint(err)
	})
}
