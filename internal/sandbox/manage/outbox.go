package manage

import (
	"net/http"
	"sync"
	"time"
)

// Message is an e-mail or SMS that the platform would have sent.
type Message struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // email or sms
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	Links   []string  `json:"links"`
}

type outbox struct {
	mu       sync.Mutex
	messages []Message
}

func (o *outbox) list() []Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Message{}, o.messages...)
}

func (o *outbox) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.messages = nil
}

func (s *Server) readOutbox(*http.Request) (any, error) {
	return struct {
		Messages []Message `json:"messages"`
	}{s.outbox.list()}, nil
}
