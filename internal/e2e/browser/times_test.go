package browser_test

import (
	"context"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// A time is shown in the time zone of the reader's device or, without scripts, in UTC and
// marked so.
func TestBrowserTimesAreTheReaders(t *testing.T) {
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

// A device may know a time zone that is not known here: the package is due at its end of the day.
func TestBrowserAZoneOfTheDeviceAlone(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app).script(`{
	const options = Intl.DateTimeFormat.prototype.resolvedOptions;
	Intl.DateTimeFormat.prototype.resolvedOptions = function () { return {...options.call(this), timeZone: "Mars/Phobos"}; };
}`)
	call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/New_York"})
	b.signIn("alice@sandbox", "/packages/new")
	b.takes(upload{"lease.pdf", string(pdf.Text("Lease"))})
	b.there("button", "Remove")
	b.holds(`(document.getElementById("due").value = "2131-06-14") !== ""`)
	b.click("button", "Save as draft")
	b.says("status", "The draft is saved.")
	b.holds(`document.getElementById("due").value === "2131-06-14"`)
	id := path.Base(evaluate[string](b, "location.pathname"))
	if due := e2etest.Program(t, app).SignedIn("alice@sandbox").Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Text("due"); due != "2131-06-15T03:59:59Z" {
		t.Errorf("it is due at %s", due)
	}
}
