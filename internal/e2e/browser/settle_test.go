package browser_test

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// settle waits for the page that a click or a key leads to, if any, so that the test does
// not look at the old one.
func (b *tab) settle() {
	b.t.Helper()
	turn := chromedp.Evaluate[int](`new Promise((done) => setTimeout(() => setTimeout(done, 0, 1), 0))`, chromedp.EvalAwaitPromise)
	if b.scriptless {
		turn = chromedp.Evaluate[int]("1") // without timers
	}
	b.until("the page having come", func(ctx context.Context) (bool, string) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := chromedp.Run(ctx, turn)
		return err == nil && !b.isLoading(), fmt.Sprint(err)
	})
}

func (b *tab) loads(frame cdp.FrameID, yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if yes {
		b.loading[frame] = true
	} else {
		delete(b.loading, frame)
	}
}

func (b *tab) isLoading() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.loading) > 0
}
