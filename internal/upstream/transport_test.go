package upstream_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/certtest"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// authority signs certificates for one test.
type authority struct{ pem, key []byte }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	cert, key := certtest.Pair(t, x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return &authority{[]byte(cert), []byte(key)}
}

// issue makes a certificate for name and 127.0.0.1, as PEM with its key.
func (a *authority) issue(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	made, private := certtest.Issued(t, x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}, string(a.pem), string(a.key))
	return []byte(made), []byte(private)
}

// mutual starts a platform that asks for clients' certificates by one authority and shows
// one by another, and returns its address. Its answer names the client and the protocol.
func mutual(t *testing.T, servers, clients *authority) string {
	t.Helper()
	pair, err := tls.X509KeyPair(servers.issue(t, "platform"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(clients.pem)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `"`+r.TLS.PeerCertificates[0].Subject.CommonName+" "+r.Proto+`"`)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// clientTLS returns a configuration that shows cert, unless it is nil, and trusts ca, or
// the system's authorities if it is nil.
func clientTLS(t *testing.T, cert, key, ca []byte) *tls.Config {
	t.Helper()
	config := &tls.Config{}
	if cert != nil {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if ca != nil {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(ca)
	}
	return config
}

func TestTLS_UntrustedServerCertificate(t *testing.T) {
	servers, clients, outsiders := newAuthority(t), newAuthority(t), newAuthority(t)
	url := mutual(t, servers, clients)
	cert, key := clients.issue(t, "countersign")
	tests := map[string]struct {
		config *tls.Config
		want   string
	}{
		"the server's, by us":           {clientTLS(t, cert, key, outsiders.pem), "unknown authority"},
		"the server's, by the system":   {clientTLS(t, cert, key, nil), "x509"},
		"the server's, without options": {nil, "x509"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := client(t, url, upstream.Options{TLS: tt.config, OutagesToOpen: 1, OpenFor: time.Hour})
			for range 2 {
				err := c.JSON(t.Context(), get, nil)
				if !fault.Is(err, fault.PlatformFailed) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error = %v", err)
				}
			}
		})
	}
}

func TestTLS_ClientCertificateRefused(t *testing.T) {
	servers, clients, outsiders := newAuthority(t), newAuthority(t), newAuthority(t)
	url := mutual(t, servers, clients)
	cert, key := outsiders.issue(t, "outsider")
	for name, config := range map[string]*tls.Config{
		"none": clientTLS(t, nil, nil, servers.pem), "an outsider's": clientTLS(t, cert, key, servers.pem),
	} {
		t.Run(name, func(t *testing.T) {
			err := client(t, url, upstream.Options{TLS: config}).JSON(t.Context(), post, nil)
			// The alert and the closing of the connection race; either may arrive first.
			if !fault.Is(err, fault.PlatformFailed) && !fault.Is(err, fault.PlatformUnavailable) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestTLS_OldVersionRefused(t *testing.T) {
	a := newAuthority(t)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	pair, err := tls.X509KeyPair(a.issue(t, "platform"))
	if err != nil {
		t.Fatal(err)
	}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	trust := clientTLS(t, nil, nil, a.pem)
	trust.MinVersion = tls.VersionTLS10
	c := client(t, server.URL, upstream.Options{TLS: trust})
	if err := c.JSON(t.Context(), post, nil); err == nil || !strings.Contains(err.Error(), "protocol version") {
		t.Errorf("error = %v", err)
	}
}
