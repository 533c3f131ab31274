package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// tab is one tab of a browser, used by a person.
type tab struct {
	t   testing.TB
	app *e2etest.App
	ctx context.Context
	key webauthn.AuthenticatorID
	// scriptless says that JavaScript is off.
	scriptless bool

	mu         sync.Mutex
	complaints []string
	expected   map[int]bool
	// loading are the frames whose next document is loading.
	loading map[cdp.FrameID]bool
}

// long limits every wait of a test, on the slowest machine.
const long = 30 * time.Second

func newTab(t testing.TB, app *e2etest.App, ctx context.Context) *tab {
	t.Helper()
	b := &tab{t: t, app: app, ctx: ctx, expected: map[int]bool{}, loading: map[cdp.FrameID]bool{}}
	b.watch()
	return b
}

// call sends one command of the DevTools protocol; it stops the test if the browser does
// not carry it out.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// do carries out steps that must work.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// evaluate returns the value of a script's expression.
func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until repeats ok until it returns true, more and more seldom: each question takes time from the
// page that is asked. Its text for other results becomes part of the failure message.
func (b *tab) until(what string, ok func(context.Context) (bool, string)) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, long)
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 80*time.Millisecond) {
		done, instead := ok(ctx)
		if done {
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			b.t.Fatalf("%s: waited in vain; %s\nthe page at the end:\n%s", what, instead, b.text())
		}
	}
}

// open goes to a path of Countersign, as by typing the address.
func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.app.URL() + path))
}

// at waits until the address is path, and its page is complete.
func (b *tab) at(path string) {
	b.t.Helper()
	b.until("being at "+path, func(ctx context.Context) (bool, string) {
		here, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.readyState + " " + location.href`))
		return err == nil && here == "complete "+b.app.URL()+path, "but " + here
	})
}

// text returns the readable text of the page.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), long)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](readable))
	if err != nil {
		return err.Error()
	}
	return text
}

const readable = `document.body?.innerText ?? ""`

// reads waits until sentence is readable on the page.
func (b *tab) reads(sentence string) {
	b.t.Helper()
	b.until("reading "+sentence, func(ctx context.Context) (bool, string) {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](readable))
		return err == nil && strings.Contains(flat(text), sentence), ""
	})
}

// silent waits until sentence is no longer readable on the page.
func (b *tab) silent(sentence string) {
	b.t.Helper()
	b.until("not reading "+sentence, func(ctx context.Context) (bool, string) {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](readable))
		return err == nil && !strings.Contains(flat(text), sentence), ""
	})
}

// flat returns text in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// all returns the elements of role and name, as a screen reader knows them. An empty name
// matches any.
func (b *tab) all(ctx context.Context, role, name string) ([]*accessibility.Node, error) {
	page, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", ObjectGroup: "found"})
	if err != nil {
		return nil, err
	}
	found, err := chromedp.Call(ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
		ObjectID: page.Result.ObjectID, Role: role, AccessibleName: name,
	})
	if err != nil {
		return nil, err
	}
	var out []*accessibility.Node
	for _, node := range found.Nodes {
		if !node.Ignored {
			out = append(out, node)
		}
	}
	return out, nil
}

// handle returns the element of a node of the accessibility tree, for scripts.
func handle(ctx context.Context, node *accessibility.Node) (runtime.RemoteObjectID, error) {
	resolved, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.BackendDOMNodeID, ObjectGroup: "found"})
	if err != nil {
		return "", err
	}
	return resolved.Object.ObjectID, nil
}

// ask runs a function on the element of a node.
func ask[T any](ctx context.Context, node *accessibility.Node, function string) (T, error) {
	id, err := handle(ctx, node)
	if err != nil {
		var none T
		return none, err
	}
	return chromedp.Run(ctx, chromedp.CallFunctionOn[T](function, func(p *runtime.CallFunctionOnParams) { p.ObjectID = id }))
}

// there waits for the only element of role and name.
func (b *tab) there(role, name string) *accessibility.Node {
	b.t.Helper()
	var node *accessibility.Node
	b.until(fmt.Sprintf("finding the %s %q", role, name), func(ctx context.Context) (bool, string) {
		nodes, err := b.all(ctx, role, name)
		if err != nil || len(nodes) != 1 {
			return false, fmt.Sprintf("found %d (%v)", len(nodes), err)
		}
		node = nodes[0]
		return true, ""
	})
	return node
}

// missing waits until there is no element of role and name.
func (b *tab) missing(role, name string) {
	b.t.Helper()
	b.until(fmt.Sprintf("there being no %s %q", role, name), func(ctx context.Context) (bool, string) {
		nodes, err := b.all(ctx, role, name)
		return err == nil && len(nodes) == 0, fmt.Sprintf("found %d (%v)", len(nodes), err)
	})
}

// tell returns a function's result for the only element of role and name.
func tell[T any](b *tab, role, name, function string) (told T) {
	b.t.Helper()
	b.until(fmt.Sprintf("asking the %s %q", role, name), func(ctx context.Context) (bool, string) {
		nodes, err := b.all(ctx, role, name)
		if err == nil && len(nodes) == 1 {
			told, err = ask[T](ctx, nodes[0], function)
		}
		return err == nil && len(nodes) == 1, fmt.Sprintf("found %d (%v)", len(nodes), err)
	})
	return told
}

// says waits until an element of role, an alert or a status, says sentence.
func (b *tab) says(role, sentence string) {
	b.t.Helper()
	b.until(fmt.Sprintf("the %s saying %q", role, sentence), func(ctx context.Context) (bool, string) {
		nodes, err := b.all(ctx, role, "")
		var heard []string
		for _, node := range nodes {
			text, err := ask[string](ctx, node, `function() { return this.innerText }`)
			if err == nil && strings.Contains(flat(text), sentence) {
				return true, ""
			}
			heard = append(heard, flat(text))
		}
		return false, fmt.Sprintf("it says %q (%v)", heard, err)
	})
}

// point returns the place to click on an element, where nothing else covers it.
const point = `function() {
	this.scrollIntoView({block: "center", behavior: "instant"});
	const box = this.getBoundingClientRect();
	const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
	const top = document.elementFromPoint(x, y);
	return {x, y, free: Boolean(top) && box.width > 0 && this.contains(top)};
}`

// click clicks on the element of role and name.
func (b *tab) click(role, name string) {
	b.t.Helper()
	b.clickOne(fmt.Sprintf("the %s %q", role, name), func(ctx context.Context) ([]*accessibility.Node, error) { return b.all(ctx, role, name) })
}

// clickOne clicks on the only element found.
func (b *tab) clickOne(what string, find func(context.Context) ([]*accessibility.Node, error)) {
	b.t.Helper()
	var at struct {
		X, Y float64
		Free bool
	}
	b.until("clicking "+what, func(ctx context.Context) (bool, string) {
		nodes, err := find(ctx)
		if err != nil || len(nodes) != 1 {
			return false, fmt.Sprintf("found %d (%v)", len(nodes), err)
		}
		answer, err := ask[json.RawMessage](ctx, nodes[0], point)
		if err == nil {
			err = json.Unmarshal(answer, &at)
		}
		return err == nil && at.Free, fmt.Sprintf("it is covered (%v)", err)
	})
	b.do(chromedp.MouseClickXY(at.X, at.Y))
	b.settle()
}

// fill replaces the text of the field with that label, as somebody who pastes does.
func (b *tab) fill(label, text string) {
	b.t.Helper()
	b.click("textbox", label)
	b.clear()
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// clear empties the focused field.
func (b *tab) clear() {
	b.t.Helper()
	b.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(kb.Delete))
}

// press types text, or keys of package kb, into the focused element.
func (b *tab) press(text string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(text))
	b.settle()
}
