package app

import (
	"strings"
	"sync/atomic"

	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/internal/reload"
	"countersign/web"
)

// live holds what may change while the program runs and belongs to no client or store.
type live struct {
	operators                   atomic.Pointer[[]string]
	signingKey, verificationKey key // of callbacks
	mailer                      atomic.Pointer[audit.Mailer]
}

// key is a secret that may be replaced.
type key struct{ current atomic.Pointer[string] }

func (k *key) get() string { return *k.current.Load() }

func (l *live) use(c config.Config) {
	l.operators.Store(&c.Operators)
	l.signingKey.current.Store(&c.Signing.CallbackKey)
	l.verificationKey.current.Store(&c.IDV.CallbackKey)
}

// openReloader makes what reads settings again, and its metrics.
func (a *App) openReloader(metrics *web.Metrics) {
	a.reloader = reload.New(reload.Options{Config: a.config, Apply: a.renew, Logger: a.logger, Now: a.now})
	a.reloader.Observe = metrics.SecretReloads(a.reloader.Settings(), reload.Accepted, reload.Refused)
	metrics.Certificates(a.reloader.Certificates, a.now)
}

// Reload reads the settings that came from files again, at once.
func (a *App) Reload() { a.reloader.Wake() }

// renew puts the settings called names of next to use. They belong together, and after an error
// nothing has changed.
func (a *App) renew(next config.Config, names []string) error {
	switch name := names[0]; {
	case name == "OPERATORS":
		a.live.operators.Store(&next.Operators)
	case name == "SIGNING_CALLBACK_KEY":
		a.live.signingKey.current.Store(&next.Signing.CallbackKey)
	case name == "IDV_CALLBACK_KEY":
		a.live.verificationKey.current.Store(&next.IDV.CallbackKey)
	case name == "SESSION_KEYS":
		return a.stores.sessionKeys.Replace(next.Session.Keys...)
	case name == "ACCESS_KEYS":
		if a.stores.once != nil {
			return a.stores.accessKeys.Replace(next.AccessKeys...)
		}
	case strings.HasPrefix(name, "SMTP_"):
		if a.live.mailer.Load() != nil {
			return a.useMailServer(next)
		}
	case strings.HasPrefix(name, "REDIS_"):
		return a.redis.Renew(redisOptions(next.Redis))
	default:
		return a.renewPlatform(next, name)
	}
	return nil
}

// renewPlatform puts the credentials and certificates of the API with the setting called name
// to use.
func (a *App) renewPlatform(next config.Config, name string) error {
	switch {
	case strings.HasPrefix(name, "IDENTITY_"):
		return a.upstream.Renew(a.serviceOptions(identityService(next)))
	case strings.HasPrefix(name, "SIGNING_") && a.signing != nil:
		return a.signing.upstream.Renew(a.serviceOptions(signingService(next)))
	case strings.HasPrefix(name, "IDV_") && a.verification != nil:
		return a.verification.upstream.Renew(a.serviceOptions(a.verificationService(next)))
	}
	return nil
}
