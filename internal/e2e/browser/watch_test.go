package browser_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A test fails for everything that the browser reports about a page: in its console, in
// its audits (the content security policy, forms, cookies, deprecations), and for every
// answer of 400 or above that the test did not expect.

// browsersOwn begins the address of a page with which the browser says that it has none.
const browsersOwn = "chrome-error://"

// violations logs the policy's violations to the console, with their places.
const violations = `document.addEventListener("securitypolicyviolation", (e) =>
	console.error("policy:", e.violatedDirective, e.blockedURI, e.sourceFile, e.lineNumber, e.sample))`

func (b *tab) watch() {
	b.t.Helper()
	if err := chromedp.Listen(b.ctx, b.judge); err != nil {
		b.t.Fatalf("opening a tab: %v", err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, audits.Enable, cdp.Empty{})
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: violations})
	b.t.Cleanup(b.account)
}

// expect declares answers of this status as part of the test.
func (b *tab) expect(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected[status] = true
}

// judge is called with each event of the tab.
func (b *tab) judge(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.complain("console.%s: %s", e.Type, toJSON(e.Args))
	case *runtime.EventExceptionThrown:
		b.complain("exception: %s", toJSON(e.ExceptionDetails))
	case *log.EventEntryAdded:
		// Refused requests are judged by their status, below; an info is an answer to our
		// own request.
		if e.Entry.Level != log.EntryLevelInfo && !strings.HasPrefix(e.Entry.Text, "Failed to load resource: the server responded") {
			b.complain("log: %s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *audits.EventIssueAdded:
		// Some tests leave a page before anybody interacts with it; a page of the browser's
		// own is not ours.
		if details := toJSON(e.Issue.Details); !strings.Contains(details, "NavigationEntryMarkedSkippable") && !strings.Contains(details, browsersOwn) {
			b.complain("audit: %s %s", e.Issue.Code, details)
		}
	case *page.EventFrameStartedLoading:
		b.loads(e.FrameID, true)
	case *page.EventFrameStoppedLoading:
		b.loads(e.FrameID, false)
	case *page.EventFrameDetached:
		b.loads(e.FrameID, false)
	case *network.EventResponseReceived:
		if status := int(e.Response.Status); status >= 400 && !b.isExpected(status) {
			b.complain("answer: %d for %s", status, e.Response.URL)
		}
	}
}

func (b *tab) isExpected(status int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.expected[status]
}

func (b *tab) complain(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
}

// account reports the complaints. The browser answers in order, so all its reports come
// before the answer to a last question.
func (b *tab) account() {
	b.t.Helper()
	if !b.t.Failed() {
		evaluate[int](b, "1")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complaints {
		b.t.Errorf("the browser complains: %s", complaint)
	}
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
