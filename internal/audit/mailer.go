package audit

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	netmail "net/mail"
	"regexp"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"
)

// Mailer sends letters by SMTP.
type Mailer struct {
	client       *mail.Client
	from, domain string
}

// MailerOptions say which server to use, and as which user.
type MailerOptions struct {
	// Addr is the server's host:port. A connection is encrypted, but for one to this machine
	// without CA whose server does not offer it.
	Addr string
	// Implicit says that the server speaks TLS from the first byte on (RFC 8314), else after
	// STARTTLS.
	Implicit bool
	// From is the sender of the letters: an address, or a mailbox with a name (RFC 5322). Its
	// domain is the one by which the server and the letters know this program.
	From string
	// CA are the only authorities that the server's certificate may come from; nil stands for
	// the system's.
	CA *x509.CertPool
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
	if ip := net.ParseIP(host); o.CA == nil && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if o.Implicit {
		options = append(options, mail.WithSSL())
	}
	if o.User != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(o.User), mail.WithPassword(o.Password))
	}
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("audit: sender: %w", err)
	}
	domain := from.Address[strings.LastIndex(from.Address, "@")+1:]
	options = append(options, mail.WithHELO(domain), mail.WithTLSConfig(&tls.Config{ServerName: host, RootCAs: o.CA, MinVersion: tls.VersionTLS12}))
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return nil, fmt.Errorf("audit: mail server: %w", err)
	}
	return &Mailer{client, from.String(), domain}, nil
}

// address is an e-mail address in an error or in a server's reply.
var address = regexp.MustCompile(`[^\s<>"'(),:;]+@[^\s<>"'(),:;]+`)

// anonymous is an error without the addresses in it: logs do not need the recipient of a letter.
type anonymous struct{ error }

// Error returns the error's text with "…" in the place of addresses.
func (e anonymous) Error() string { return address.ReplaceAllString(e.error.Error(), "…") }

// Unwrap returns the error itself.
func (e anonymous) Unwrap() error { return e.error }

// Send sends l. The error names no address.
func (m *Mailer) Send(ctx context.Context, l Letter) error {
	message := mail.NewMsg()
	if err := message.From(m.from); err != nil {
		return err
	}
	if err := message.To(l.To); err != nil {
		return anonymous{err}
	}
	message.SetMessageIDWithValue(rand.Text() + "@" + m.domain)
	message.Subject(l.Subject)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834, section 5: automatic responders do not answer it
	message.SetBodyString(mail.TypeTextPlain, l.Text)
	if err := m.client.DialAndSendWithContext(ctx, message); err != nil {
		return anonymous{err}
	}
	return nil
}
