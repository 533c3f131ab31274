package redisdb_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"

	"github.com/alicebob/miniredis/v2"
)

// TestTLS_ClientCertificate connects to a server that shows a certificate and asks for one.
func TestTLS_ClientCertificate(t *testing.T) {
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	own, trusted := certified.TLS.Certificates, x509.NewCertPool()
	trusted.AddCert(certified.Certificate())
	server := miniredis.NewMiniRedis()
	if err := server.StartTLS(&tls.Config{
		Certificates: own, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert,
	}); err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	both := &tls.Config{RootCAs: trusted, Certificates: own}
	for _, tt := range []struct {
		name, url string
		tls       *tls.Config
		works     bool
	}{
		{"the authority and a certificate", "rediss://" + server.Addr(), both, true},
		{"a name that it does not have", "rediss://localhost:" + server.Port(), both, false},
		{"no certificate of ours", "rediss://" + server.Addr(), &tls.Config{RootCAs: trusted}, false},
		{"no authority", "rediss://" + server.Addr(), &tls.Config{Certificates: own}, false},
		{"another authority", "rediss://" + server.Addr(), &tls.Config{RootCAs: x509.NewCertPool(), Certificates: own}, false},
		{"nothing", "rediss://" + server.Addr(), nil, false},
		{"no TLS", "redis://" + server.Addr(), both, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := open(t, redisdb.Options{URL: tt.url, TLS: tt.tls})
			defer db.Close()
			if err := db.Readable(t.Context()); (err == nil) != tt.works {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSentinel_OwnPassword signs in to Sentinels and to Redis, each with its password.
func TestSentinel_OwnPassword(t *testing.T) {
	t.Parallel()
	sentinel := redistest.StartSentinel(t)
	sentinel.Require(t, redistest.Passwords{Redis: "data", Sentinel: "watch", User: "watcher", UserPassword: "other"})
	at := func(url, who string) string { return strings.Replace(url, "://", "://"+who, 1) }
	for _, tt := range []struct {
		name  string
		edit  func(*redisdb.Options)
		works bool
	}{
		{"a password of each", func(o *redisdb.Options) { o.URL = at(o.URL, ":watch@") + "&password=data" }, true},
		{"a user of the Sentinels", func(o *redisdb.Options) { o.URL = at(o.URL, "watcher:other@") + "&password=data" }, true},
		{"the wrong way round", func(o *redisdb.Options) { o.URL = at(o.URL, ":data@") + "&password=watch" }, false},
		{"the Sentinels' alone", func(o *redisdb.Options) { o.URL = at(o.URL, ":watch@") }, false},
		{"Redis's alone", func(o *redisdb.Options) { o.URL += "&password=data" }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			options := redisdb.Options{URL: sentinel.URL(), Mode: redisdb.ModeSentinel}
			tt.edit(&options)
			db := open(t, options)
			defer db.Close()
			if err := db.Readable(t.Context()); (err == nil) != tt.works {
				t.Errorf("%v", err)
			}
		})
	}
}

// Sentinels with the master that they name, and every node of a cluster, are reached over TLS
// with the authority and a certificate of ours, also after a switch-over. Without either
// nothing is, and the error says so.
func TestTLS_SentinelsAndCluster(t *testing.T) {
	t.Parallel()
	sentinel, sentinelTrust := redistest.StartTLSSentinel(t)
	cluster, clusterTrust := redistest.StartTLSCluster(t)
	for _, tt := range []struct {
		mode, url string
		trust     *tls.Config
		again     func(testing.TB)
	}{
		{redisdb.ModeSentinel, sentinel.URL(), sentinelTrust, sentinel.Failover},
		{redisdb.ModeCluster, cluster.URL(), clusterTrust, nil},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			db := open(t, redisdb.Options{URL: tt.url, Mode: tt.mode, TLS: tt.trust})
			defer db.Close()
			each := func() error {
				for i := range 32 { // in a cluster, at each node
					key := "cs:" + strconv.Itoa(i)
					if err := db.Client.Set(t.Context(), key, i, 0).Err(); err != nil {
						return err
					}
					if n, err := db.Client.Get(t.Context(), key).Int(); n != i || err != nil {
						t.Errorf("%s: %d, %v", key, n, err)
					}
				}
				return db.Readable(t.Context())
			}
			if err := each(); err != nil {
				t.Fatal(err)
			}
			if tt.again != nil {
				tt.again(t)
				redistest.Eventually(t, "it is reached after the switch-over", func() bool { return each() == nil })
			}
			for want, trust := range map[string]*tls.Config{
				"certificate signed by unknown authority": {RootCAs: x509.NewCertPool(), Certificates: tt.trust.Certificates},
				"certificate required":                    {RootCAs: tt.trust.RootCAs},
			} {
				other := open(t, redisdb.Options{URL: tt.url, Mode: tt.mode, TLS: trust})
				redistest.Eventually(t, "the error says "+want, func() bool { // the end of a connection may come before its reason
					err := other.Readable(t.Context())
					if err == nil {
						t.Fatal("nothing was refused")
					}
					return strings.Contains(err.Error(), want)
				})
				_ = other.Close()
			}
		})
	}
}
