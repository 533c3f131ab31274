package redisdb_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/internal/redisdb"

	"github.com/alicebob/miniredis/v2"
)

// TestTLS asks a server with a certificate that nobody vouches for.
func TestTLS(t *testing.T) {
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	server := miniredis.NewMiniRedis()
	if err := server.StartTLS(&tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12}); err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	strict := open(t, redisdb.Options{URL: "rediss://" + server.Addr()})
	defer strict.Close()
	if err := strict.Readable(t.Context()); err == nil {
		t.Error("an unknown certificate is trusted")
	}
	trusting := open(t, redisdb.Options{URL: "rediss://" + server.Addr() + "?skip_verify=true"})
	defer trusting.Close()
	if err := trusting.Readable(t.Context()); err != nil {
		t.Errorf("over TLS: %v", err)
	}
	plain := open(t, redisdb.Options{URL: "redis://" + server.Addr()})
	defer plain.Close()
	if err := plain.Readable(t.Context()); err == nil {
		t.Error("a TLS server understands a client without TLS")
	}
}
