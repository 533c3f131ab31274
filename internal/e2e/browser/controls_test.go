package browser_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hand uses a page by the names of its controls: with the pointer, or with the keyboard
// alone.
type hand struct {
	*tab
	keyboard bool
	// part is the group of the controls, or their description; "" for the whole page.
	part string
}

// in returns the hand for one part of the page.
func (h hand) in(part string) hand {
	h.part = part
	return h
}

// only waits for the only control of role and name in the part.
func (h hand) only(role, name string) *accessibility.Node {
	h.t.Helper()
	var node *accessibility.Node
	h.until(fmt.Sprintf("finding the %s %q of %q", role, name, h.part), func(ctx context.Context) (bool, string) {
		nodes, err := h.found(ctx, role, name)
		if err != nil || len(nodes) != 1 {
			return false, fmt.Sprintf("found %d (%v)", len(nodes), err)
		}
		node = nodes[0]
		return true, ""
	})
	return node
}

func (h hand) found(ctx context.Context, role, name string) ([]*accessibility.Node, error) {
	all, err := h.all(ctx, role, name)
	if err != nil || h.part == "" {
		return all, err
	}
	groups, err := h.all(ctx, "group", h.part)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(node *accessibility.Node) bool {
		return axText(node.Description) != h.part && !slices.ContainsFunc(groups, func(group *accessibility.Node) bool { return h.holdsNode(ctx, group, node) })
	}), nil
}

// holdsNode reports whether group contains node.
func (h hand) holdsNode(ctx context.Context, group, node *accessibility.Node) bool {
	around, err := handle(ctx, group)
	if err != nil {
		return false
	}
	inner, err := handle(ctx, node)
	if err != nil {
		return false
	}
	within, err := chromedp.Run(ctx, chromedp.CallFunctionOn[bool](`function(inner) { return this.contains(inner) }`, func(p *runtime.CallFunctionOnParams) {
		p.ObjectID, p.Arguments = around, []*runtime.CallArgument{{ObjectID: inner}}
	}))
	return err == nil && within
}

// goes focuses a control: by the tab key, or by a click.
func (h hand) goes(role, name string) {
	h.t.Helper()
	if !h.keyboard {
		h.until(fmt.Sprintf("going to the %s %q of %q", role, name, h.part), func(ctx context.Context) (bool, string) {
			_, err := chromedp.Call(ctx, dom.Focus, dom.FocusParams{BackendNodeID: h.only(role, name).BackendDOMNodeID})
			return err == nil, fmt.Sprint(err)
		})
		return
	}
	node := h.only(role, name)
	var passed []string
	for range mostStops {
		if !h.is(node, "this.isConnected") { // the page was updated meanwhile
			node = h.only(role, name)
		}
		if h.is(node, focused) {
			return
		}
		passed = append(passed, h.forward())
	}
	h.t.Fatalf("the tab key does not reach the %s %q of %q: %q", role, name, h.part, passed)
}

// mostStops is more than the number of focusable elements on any page.
const mostStops = 120

// focused is a condition of is.
const focused = "this === document.activeElement"

// is reports whether condition, a JavaScript expression about this, holds for node.
func (h hand) is(node *accessibility.Node, condition string) bool {
	h.t.Helper()
	holds, err := ask[bool](h.ctx, node, `function() { return `+condition+` }`)
	return err == nil && holds
}

// presses activates a button, a link, a check box or a radio button.
func (h hand) presses(role, name string) {
	h.t.Helper()
	switch {
	case !h.keyboard:
		h.clickOne(fmt.Sprintf("the %s %q of %q", role, name, h.part), func(ctx context.Context) ([]*accessibility.Node, error) { return h.found(ctx, role, name) })
	case role == "checkbox" || role == "radio":
		h.goes(role, name)
		h.press(" ")
	default:
		h.goes(role, name)
		h.press(kb.Enter)
	}
}

// types replaces the text of an input.
func (h hand) types(name, text string) {
	h.t.Helper()
	h.goes("textbox", name)
	h.clear()
	if h.keyboard {
		h.do(chromedp.KeyEvent(text))
	} else {
		call(h.tab, input.InsertText, input.InsertTextParams{Text: text})
	}
}

// picks chooses an option of a list, going down from its beginning.
func (h hand) picks(name, option string) {
	h.t.Helper()
	h.goes("combobox", name)
	h.press(kb.Home)
	const chosen = `document.activeElement.selectedOptions[0].text.trim()`
	var passed []string
	for range mostStops {
		at := evaluate[string](h.tab, chosen)
		if at == option {
			return
		}
		passed = append(passed, at)
		h.press(kb.ArrowDown)
	}
	h.t.Fatalf("the list %q of %q does not offer %q: %q", name, h.part, option, slices.Compact(passed))
}

// holdsEntry waits until an input of that name contains text.
func (h hand) holdsEntry(name, text string) {
	h.t.Helper()
	h.until(fmt.Sprintf("the textbox %q holding %q", name, text), func(ctx context.Context) (bool, string) {
		nodes, err := h.found(ctx, "textbox", name)
		return err == nil && slices.ContainsFunc(nodes, func(node *accessibility.Node) bool { return axText(node.Value) == text }), fmt.Sprint(err)
	})
}
