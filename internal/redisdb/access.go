package redisdb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
)

// access is what Redis is shown on new connections, and which certificates we trust.
type access struct {
	user, password string
	tls            *tls.Config // nil without TLS
}

func (f form) access() *access {
	switch {
	case f.single != nil:
		return &access{f.single.Username, f.single.Password, f.single.TLSConfig}
	case f.sentinel != nil:
		return &access{f.sentinel.Username, f.sentinel.Password, f.sentinel.TLSConfig}
	}
	return &access{f.cluster.Username, f.cluster.Password, f.cluster.TLSConfig}
}

func (db *DB) credentials(context.Context) (user, password string, err error) {
	now := db.access.Load()
	return now.user, now.password, nil
}

// Renew has new connections use the user, the password and the TLS settings of o; those that
// are open go on, and Redis keeps them. The rest of o is as in Open. After an error, which
// tells no password, nothing has changed.
func (db *DB) Renew(o Options) error {
	form, err := parse(o)
	switch {
	case db.memory != nil:
		return errors.New("redisdb: an embedded Redis has no password")
	case err != nil:
		return fmt.Errorf("redisdb: %w", err)
	case o.Mode != db.mode || withoutCredentials(o) != withoutCredentials(Options{URL: db.url, Mode: db.mode}):
		return errors.New("redisdb: more than Redis's user and password has changed, which takes a restart")
	}
	db.access.Store(form.access())
	return nil
}

// withoutCredentials returns the URL of o without the user and the password of Redis. Those of
// Sentinels, which go-redis keeps, stay.
func withoutCredentials(o Options) string {
	u, err := url.Parse(o.URL)
	if err != nil {
		return "" // parse refuses it
	}
	if o.Mode != ModeSentinel {
		u.User = nil
		return u.String()
	}
	parameters := u.Query()
	parameters.Del("username")
	parameters.Del("password")
	u.RawQuery = parameters.Encode()
	return u.String()
}
