package app

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/signing/service"
)

// noticeLimit limits the notices to one person.
const noticeLimit = "10/h"

// noticeLease limits how long the notices of a node that died wait for another one.
const noticeLease = 30 * time.Second

// openNotices returns the notices to people by e-mail, sent by the mail server or, in
// development, to the sandbox's outbox; nil if there is neither.
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
		Send: send, Bundle: a.bundle, Host: a.config.PublicOrigin.Hostname(), Logger: a.logger, Now: a.now,
		Preferences: a.preferences,
		WithLock: func(ctx context.Context, work func(context.Context) error) error {
			_, err := a.stores.leases.WithLease(ctx, redisdb.Lease{Kind: "notices", Life: noticeLease}, work)
			return err
		},
		Permit: func(ctx context.Context, person string) error {
			return limiter.Take(ctx, ratelimit.Count{Name: "notice", Subject: person, Limit: limit})
		},
	}), nil
}

// ownerNotices returns what tells owners how their packages ended; nil if no e-mail can be
// sent.
func (a *App) ownerNotices() *service.OwnerNotices {
	if a.notices == nil {
		return nil
	}
	return &service.OwnerNotices{
		Notices: a.notices, Origin: a.config.PublicOrigin.String(),
		Email: func(ctx context.Context, user string) (string, error) {
			said, err := a.identity.AccountStatus(ctx, user)
			if err != nil || said.Lost != "" {
				return "", err
			}
			return said.EmailAddress, nil
		},
	}
}

// mail returns the function that sends an e-mail; nil if there is no way.
func (a *App) mail() (func(context.Context, audit.Letter) error, error) {
	switch {
	case a.config.SMTP.URL != "":
		if err := a.useMailServer(a.config); err != nil {
			return nil, err
		}
		return func(ctx context.Context, l audit.Letter) error { return a.live.mailer.Load().Send(ctx, l) }, nil
	case a.sandbox != nil:
		return func(_ context.Context, l audit.Letter) error {
			a.sandbox.server.Mail(a.now(), l.To, l.Subject, l.Text)
			return nil
		}, nil
	}
	return nil, nil
}

// useMailServer has letters go by the mail server of c from now on.
func (a *App) useMailServer(c config.Config) error {
	address, user, password := c.SMTP.Server()
	mailer, err := audit.NewMailer(audit.MailerOptions{
		Addr: address, Implicit: c.SMTP.Implicit(), From: a.config.SMTP.From, CA: c.SMTP.TLS().RootCAs, User: user, Password: password,
	})
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_SMTP_URL: %w", err)
	}
	a.live.mailer.Store(mailer)
	return nil
}
