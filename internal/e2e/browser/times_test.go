package browser_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// A time is shown in the time zone of the reader's device or, without scripts, in UTC and
// marked so.
func TestTimes_InReadersTimeZone(t *testing.T) {
	const zone = "Asia/Tokyo"
	there := time.FixedZone(zone, 9*60*60)
	app := e2etest.Boot(t)
	b := visit(t, app)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
	before := time.Now().In(there)
	b.signIn("alice@sandbox", "/account")
	after := time.Now().In(there)
	b.until("the time in Tokyo", func(ctx context.Context) (bool, string) {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](readable))
		text = flat(text)
		const american = "January 2, 2006 at 3:04 PM"
		told := strings.Contains(text, "Signed in "+before.Format(american)) || strings.Contains(text, "Signed in "+after.Format(american))
		return err == nil && told && !strings.Contains(text, "UTC"), text
	})

	b.withoutScripts()
	b.open("/account")
	b.reads(" UTC")
}
