// Package outbox keeps the e-mails and SMS of the sandbox's services.
//
// It delivers nothing; the services write the messages.
package outbox

import (
	"regexp"
	"slices"
	"sync"
	"time"
)

// The values of Message.Kind.
const (
	Email = "email"
	SMS   = "sms"
)

// capacity limits the stored messages; the oldest are dropped.
const capacity = 10000

// Message is one e-mail or SMS.
type Message struct {
	// At is the time of sending, on the platform's clock.
	At time.Time `json:"at"`
	// Kind is email or sms.
	Kind string `json:"kind"`
	// To is an e-mail address or a telephone number.
	To string `json:"to"`
	// Subject is empty for an SMS.
	Subject string `json:"subject"`
	// Text is plain, with the links in it.
	Text string `json:"text"`
	// Links are the URLs in the text.
	Links []string `json:"links"`
}

// Outbox stores sent messages. It is safe for concurrent use.
type Outbox struct {
	// Deliver, if set, is also called with every message. It must not block.
	Deliver func(Message)

	mu       sync.Mutex
	messages []Message
}

// address matches an address in a text, without the full stop or bracket behind it.
var address = regexp.MustCompile(`https?://[^\s<>"]*[^\s<>"'.,;:!?)\]]`)

// Send stores the messages, in order. A message without Links has those in its text.
func (o *Outbox) Send(messages ...Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range messages {
		if m.Links == nil {
			m.Links = append([]string{}, address.FindAllString(m.Text, -1)...)
		}
		if len(o.messages) == capacity {
			o.messages = o.messages[1:]
		}
		o.messages = append(o.messages, m)
		if o.Deliver != nil {
			o.Deliver(m)
		}
	}
}

// List returns every stored message, the oldest first.
func (o *Outbox) List() []Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Message{}, o.messages...)
}

// Reset forgets every message.
func (o *Outbox) Reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.messages = slices.Clip(o.messages[:0:0])
}
