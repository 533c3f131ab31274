package app

import (
	"context"
	"fmt"

	"countersign/internal/audit"
	"countersign/internal/ratelimit"
)

// noticeLimit is how many notices a person gets.
const noticeLimit = "10/h"

// openNotices connects what people are told by e-mail with the mail server, embedded with
// the sandbox's outbox; nil where there is neither.
func (a *App) openNotices() (*audit.Notices, error) {
	send, err := a.mail()
	if send == nil || err != nil {
		return nil, err
	}
	limiter := a.stores.limiter
	limit, err := ratelimit.Parse(noticeLimit)
	if err != nil {
		return nil, err
	}
	return audit.NewNotices(audit.Notices{
		Send: send, Bundle: a.bundle, Host: a.config.PublicOrigin.Hostname(), Logger: a.logger,
		Permit: func(ctx context.Context, person string) error {
			return limiter.Take(ctx, ratelimit.Count{Name: "notice", Subject: person, Limit: limit})
		},
	}), nil
}

// mail is how an e-mail is sent; nil where there is no way.
func (a *App) mail() (func(context.Context, audit.Letter) error, error) {
	smtp := a.config.SMTP
	switch {
	case smtp.URL != "":
		address, user, password := smtp.Server()
		mailer, err := audit.NewMailer(audit.MailerOptions{Addr: address, From: smtp.From, User: user, Password: password})
		if err != nil {
			return nil, fmt.Errorf("COUNTERSIGN_SMTP_URL: %w", err)
		}
		return mailer.Send, nil
	case a.sandbox != nil:
		return func(_ context.Context, l audit.Letter) error {
			a.sandbox.server.Mail(a.now(), l.To, l.Subject, l.Text)
			return nil
		}, nil
	}
	return nil, nil
}
