package audit

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/wneessen/go-mail"
)

// Mailer sends letters by SMTP.
type Mailer struct {
	client *mail.Client
	from   string
}

// MailerOptions say which server to use, and as whom.
type MailerOptions struct {
	// Addr is the server's host:port. A connection to another machine is encrypted.
	Addr string
	// From is the address that letters come from.
	From string
	// User and Password are empty if the server asks for none.
	User, Password string
}

// NewMailer makes a Mailer; the error is about the options.
func NewMailer(o MailerOptions) (*Mailer, error) {
	host, text, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("audit: mail server: %w", err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("audit: mail server: %w", err)
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTLSPolicy(mail.TLSMandatory), mail.WithTimeout(noticeTimeout)}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if o.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(o.User), mail.WithPassword(o.Password))
	}
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return nil, fmt.Errorf("audit: mail server: %w", err)
	}
	if err := mail.NewMsg().From(o.From); err != nil {
		return nil, fmt.Errorf("audit: sender: %w", err)
	}
	return &Mailer{client, o.From}, nil
}

// Send sends l.
func (m *Mailer) Send(ctx context.Context, l Letter) error {
	message := mail.NewMsg()
	if err := message.From(m.from); err != nil {
		return err
	}
	if err := message.To(l.To); err != nil {
		return err
	}
	message.Subject(l.Subject)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834, section 5: automatic responders do not answer it
	message.SetBodyString(mail.TypeTextPlain, l.Text)
	return m.client.DialAndSendWithContext(ctx, message)
}
