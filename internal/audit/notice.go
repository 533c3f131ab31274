package audit

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"countersign/internal/i18n"
)

const (
	// maxNotices limits the notices that wait to be sent; noticeTimeout limits the
	// sending of one.
	maxNotices    = 100
	noticeTimeout = 20 * time.Second
)

// Letter is an e-mail.
type Letter struct{ To, Subject, Text string }

// Notices inform people by e-mail, in their language, of changes that somebody else could
// have made: a passkey added or removed, and a sign-in from a new device. They are sent
// after the answers. The log names those that could not be sent, or were too many.
type Notices struct {
	// Send sends one letter.
	Send func(context.Context, Letter) error
	// Permit counts one notice to person, and refuses once there are too many.
	Permit func(ctx context.Context, person string) error
	Bundle *i18n.Bundle
	// Host is the name that people know the service by. A notice has no links, so that
	// nobody gets used to signing in by the links of an e-mail.
	Host   string
	Logger *slog.Logger

	waiting chan Event
}

// NewNotices returns n, ready for use. Nothing is sent before Run.
func NewNotices(n Notices) *Notices {
	n.waiting = make(chan Event, maxNotices)
	return &n
}

// noticeIDs are the messages for the kinds of events that notices are sent for.
var noticeIDs = map[Kind]struct{ subject, text string }{
	SignedIn:                {"notice.new-device-subject", "notice.new-device-text"},
	AuthenticatorRegistered: {"notice.registered-subject", "notice.registered-text"},
	AuthenticatorRemoved:    {"notice.removed-subject", "notice.removed-text"},
}

// notify queues a notice of e for its person.
func (n *Notices) notify(e Event) {
	if n == nil || e.Email == "" || noticeIDs[e.Kind].text == "" {
		return
	}
	select {
	case n.waiting <- e:
	default:
		n.unsent(e, "too many wait")
	}
}

func (n *Notices) unsent(e Event, cause string) {
	n.Logger.Warn("notice not sent", "event", string(e.Kind), "person", e.Person, "request", e.Request, "cause", cause)
}

// Run sends notices until ctx ends; those still waiting are not sent.
func (n *Notices) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-n.waiting:
			if err := n.send(ctx, e); err != nil && ctx.Err() == nil {
				n.unsent(e, err.Error())
			}
		}
	}
}

func (n *Notices) send(ctx context.Context, e Event) error {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	if err := n.Permit(ctx, e.Person); err != nil {
		return err
	}
	return n.Send(ctx, n.letter(e))
}

func (n *Notices) letter(e Event) Letter {
	words, id := n.Bundle.For(e.Language), noticeIDs[e.Kind]
	return Letter{
		To:      e.Email,
		Subject: words.T(id.subject, "Host", n.Host),
		Text: strings.Join([]string{
			words.T(id.text, "Host", n.Host, "Person", e.Person),
			words.T("notice.where", "When", words.DateTime(e.At), "Address", e.Address),
			words.T("notice.advice", "Host", n.Host),
		}, "\n\n") + "\n",
	}
}
