package signing

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/callback"
)

// registration is the account's address for callbacks of events (docs/platform.md S13).
type registration struct {
	URL    string   `json:"url"`
	Key    string   `json:"key"`
	Events []string `json:"events"` // none: all of them
}

func (r registration) wants(name string) bool {
	return r.URL != "" && (len(r.Events) == 0 || slices.Contains(r.Events, name))
}

// notice is the body of a callback.
type notice struct {
	Class       string  `json:"@class"` // of the platform's language
	Name        string  `json:"name"`
	SessionUser *string `json:"sessionUser"`
	PackageID   string  `json:"packageId"`
	Message     *string `json:"message"`
	DocumentID  *string `json:"documentId"`
	CreatedDate string  `json:"createdDate"`
}

// noticeOf returns the callback of an event.
func noticeOf(p *pkg, e event) notice {
	some := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	return notice{
		Class: "com.silanis.esl.packages.event.ESLProcessEvent", Name: e.name, SessionUser: some(p.signer(e.by.party).ID), PackageID: p.ID,
		Message: some(e.message), DocumentID: some(e.documentID), CreatedDate: e.at.at.Format("2006-01-02T15:04:05.000Z"),
	}
}

// callbacks send events to the registered addresses, one after the other, in order. It is
// safe for concurrent use.
type callbacks struct {
	sender *callback.Sender
	host   callback.Receiver
	log    *slog.Logger

	mu         sync.Mutex
	registered map[string]registration // by the origin of packages; "" is the account's
}

func newCallbacks(host callback.Receiver, log *slog.Logger) *callbacks {
	return &callbacks{host: host, sender: callback.NewSender(log), log: log}
}

// reset ends every delivery and forgets the registrations.
func (c *callbacks) reset() {
	c.sender.Reset()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = map[string]registration{}
}

// change changes the registration of an origin.
func (c *callbacks) change(origin string, act func(*registration)) registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.registered[origin]
	act(&r)
	r.Events = list(r.Events)
	c.registered[origin] = r
	return r
}

// send sends the notice to every registration that wants it, once and without waiting. failed
// is called with its body where it is not accepted. The host is not told of what was done by a
// call of the account: its caller knows.
func (c *callbacks) send(n notice, byAccount bool, failed func(body []byte)) {
	body, err := json.Marshal(n)
	if err != nil {
		c.log.Error("callback not written", "error", err)
		return
	}
	if c.host.URL != "" && !byAccount {
		c.sender.Send(callback.Notice{Receiver: c.host, Body: body})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.registered {
		if r.wants(n.Name) {
			c.sender.Send(callback.Notice{Receiver: callback.Receiver{URL: r.URL, Authorization: r.authorization()}, Body: body, Failed: func() { failed(body) }})
		}
	}
}

// authorization returns a callback's credential, or "" without a key.
func (r registration) authorization() string {
	if r.Key == "" {
		return ""
	}
	return "Basic " + r.Key
}
