package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/wneessen/go-mail"
)

// The limits of delivery.
const (
	mailTimeout = 10 * time.Second
	waitingMail = 1000 // further ones are not delivered
)

// Mailer also delivers e-mails by SMTP, one after the other, for reading them in a mail
// program. SMS are not delivered.
type Mailer struct {
	client  *mail.Client
	from    string
	log     *slog.Logger
	waiting chan Message
	stop    context.CancelFunc
	running sync.WaitGroup
}

// NewMailer returns a Mailer for a server at host:port without a password, with
// encryption if the server supports it.
func NewMailer(addr, from string, log *slog.Logger) (*Mailer, error) {
	host, number, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("the port of %s: %w", addr, err)
	}
	client, err := mail.NewClient(host, mail.WithPort(port), mail.WithTLSPolicy(mail.TLSOpportunistic), mail.WithTimeout(mailTimeout))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	m := &Mailer{client: client, from: from, log: log, waiting: make(chan Message, waitingMail), stop: stop}
	m.running.Go(func() { m.run(ctx) })
	return m, nil
}

// Deliver queues an e-mail.
func (m *Mailer) Deliver(message Message) {
	if message.Kind != Email {
		return
	}
	select {
	case m.waiting <- message:
	default:
		m.log.Warn("e-mail dropped; queue full", "to", message.To)
	}
}

// Close stops all deliveries.
func (m *Mailer) Close() {
	m.stop()
	m.running.Wait()
}

func (m *Mailer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case message := <-m.waiting:
			if err := m.send(ctx, message); err != nil && ctx.Err() == nil {
				m.log.Warn("e-mail not delivered", "to", message.To, "error", err)
			}
		}
	}
}

func (m *Mailer) send(ctx context.Context, message Message) error {
	letter := mail.NewMsg()
	if err := letter.From(m.from); err != nil {
		return err
	}
	if err := letter.To(message.To); err != nil {
		return err
	}
	letter.Subject(message.Subject)
	letter.SetBodyString(mail.TypeTextPlain, message.Text)
	return m.client.DialAndSendWithContext(ctx, letter)
}
