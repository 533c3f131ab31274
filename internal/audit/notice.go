package audit

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"countersign/internal/i18n"
)

// noticeTimeout limits the sending of one notice.
const noticeTimeout = 20 * time.Second

// Letter is an e-mail.
type Letter struct{ To, Subject, Text string }

// Notices inform people by e-mail, in the language that they chose, of changes that somebody
// else could have made: a passkey added or removed, and a sign-in from a new device. These
// wait in Redis and are sent after the answers, by one node; what could not be sent is tried
// again for hours, and the log names what was not sent in the end, or was too much.
// TellOwner informs them of what became of their packages.
type Notices struct {
	// Send sends one letter.
	Send func(context.Context, Letter) error
	// Permit counts one notice to person, and refuses once there are too many.
	Permit func(ctx context.Context, person string) error
	Bundle *i18n.Bundle
	// Host is the name that people know the service by. A notice about an account has no
	// links, so that nobody gets used to signing in by the links of an e-mail.
	Host string
	// Preferences are how people want to be told.
	Preferences *PreferenceStore
	// WithLock runs work unless another node is doing it.
	WithLock func(ctx context.Context, work func(context.Context) error) error
	Logger   *slog.Logger
	Now      func() time.Time

	wake chan struct{} // something waits
}

// NewNotices returns n, ready for use. Nothing is sent before Run.
func NewNotices(n Notices) *Notices {
	n.wake = make(chan struct{}, 1)
	return &n
}

// noticeIDs are the messages for the kinds of events that notices are sent for.
var noticeIDs = map[Kind]struct{ subject, text string }{
	SignedIn:                {"notice.new-device-subject", "notice.new-device-text"},
	AuthenticatorRegistered: {"notice.registered-subject", "notice.registered-text"},
	AuthenticatorRemoved:    {"notice.removed-subject", "notice.removed-text"},
}

// notify keeps a notice of e for its person, to be sent in a moment.
func (n *Notices) notify(ctx context.Context, e Event) {
	if n == nil || e.Email == "" || noticeIDs[e.Kind].text == "" {
		return
	}
	if err := n.keep(ctx, e); err != nil {
		n.unsent(e, err.Error())
		return
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *Notices) unsent(e Event, cause string) {
	n.Logger.Warn("notice not sent", "event", string(e.Kind), "person", e.Person, "request", e.Request, "cause", cause)
}

// send sends a notice of e. first says that it is the first attempt, which counts against the
// person's limit.
func (n *Notices) send(ctx context.Context, e Event, first bool) error {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	if first {
		if err := n.Permit(ctx, e.Person); err != nil {
			return err
		}
	}
	chosen, err := n.Preferences.Of(ctx, e.Person)
	if err != nil { // it is told all the same
		n.Logger.WarnContext(ctx, "notice language not read", "person", e.Person, "cause", err.Error())
	}
	e.Language = cmp.Or(chosen.Language(), e.Language)
	return n.Send(ctx, n.letter(e))
}

func (n *Notices) letter(e Event) Letter {
	words, id := n.Bundle.For(e.Language), noticeIDs[e.Kind]
	return Letter{
		To:      e.Email,
		Subject: words.T(id.subject, "Host", n.Host),
		Text: strings.Join([]string{
			words.T(id.text, "Host", n.Host, "Person", e.Person),
			words.T("notice.where", "Device", words.KnownDevice(e.Device), "When", words.DateTime(e.At), "Address", e.Address),
			words.T("notice.advice", "Host", n.Host),
		}, "\n\n") + "\n",
	}
}

// PackageEnd is the end of a package, for its owner.
type PackageEnd struct {
	// Person is the owner's user id, Email their address.
	Person, Email string
	// How is one of the words of packageIDs.
	How string
	// Name is the package's name, Link the address of its page.
	Name, Link string
	// Language is the one of people who have chosen none.
	Language string
}

// The ends of packages that owners are told of.
const (
	Completed = "completed"
	Declined  = "declined"
	Cancelled = "cancelled"
	Expired   = "expired"
)

// packageIDs are the messages for the ends of packages.
var packageIDs = map[string]struct{ subject, text string }{
	Completed: {"notice.completed-subject", "notice.completed-text"},
	Declined:  {"notice.declined-subject", "notice.declined-text"},
	Cancelled: {"notice.cancelled-subject", "notice.cancelled-text"},
	Expired:   {"notice.expired-subject", "notice.expired-text"},
}

// TellOwner tells the owner of a package how it ended, unless they turned that off. It says
// nothing of the package but its name, and carries one link, to its page. The error says that
// the letter was not sent.
func (n *Notices) TellOwner(ctx context.Context, e PackageEnd) error {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	chosen, err := n.Preferences.Of(ctx, e.Person)
	if err != nil || chosen.NoPackages {
		return err
	}
	words, id := n.Bundle.For(cmp.Or(chosen.Language(), e.Language)), packageIDs[e.How]
	name := strings.Join(strings.Fields(e.Name), " ") // on one line
	return n.Send(ctx, Letter{
		To:      e.Email,
		Subject: words.T(id.subject, "Name", name),
		Text: strings.Join([]string{
			words.T(id.text, "Name", name, "Host", n.Host),
			e.Link,
			words.T("notice.package-off", "Host", n.Host),
		}, "\n\n") + "\n",
	})
}
