package redistest

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"countersign/internal/certtest"
)

// StartTLS starts a server that can also be reached over TLS, at the address that it returns
// with the client's configuration. Further arguments are redis-server's own.
func StartTLS(t testing.TB, args ...string) (server *Server, url string, trust *tls.Config) {
	t.Helper()
	secure, trust := secured(t, "no")
	port := strconv.Itoa(FreePort(t))
	server = Start(t, append(append(secure, "--tls-port", port), args...)...)
	return server, "rediss://" + net.JoinHostPort("127.0.0.1", port), trust
}

// StartTLSCluster starts a Cluster without replicas whose nodes speak TLS with each other and
// with their clients, and ask for a certificate. URL is the one for TLS, trust what a client
// needs.
func StartTLSCluster(t testing.TB) (c *Cluster, trust *tls.Config) {
	t.Helper()
	secure, trust := secured(t, "yes")
	c = &Cluster{}
	for range 3 {
		c.Nodes = append(c.Nodes, startSecured(t, append(secure, "--tls-cluster", "yes", "--cluster-enabled", "yes", "--cluster-node-timeout", patiently)...))
	}
	c.join(t)
	return c, trust
}

// StartTLSSentinel starts a Sentinel of one replica and one sentinel, all of which speak TLS
// with each other and with their clients, and ask for a certificate. URL is the one for TLS,
// trust what a client needs.
func StartTLSSentinel(t testing.TB) (s *Sentinel, trust *tls.Config) {
	t.Helper()
	secure, trust := secured(t, "yes")
	secure = append(secure, "--tls-replication", "yes")
	s = &Sentinel{Master: startSecured(t, append(secure, "--repl-diskless-sync-delay", "0")...)}
	host, port, err := net.SplitHostPort(s.Master.peer())
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	s.Replica = startSecured(t, append(secure, "--replicaof", host+" "+port)...)
	s.Replica.inStep(t)
	s.watch(t, 1, secure...)
	return s, trust
}

// startSecured starts a server that its peers reach over TLS.
func startSecured(t testing.TB, args ...string) *Server {
	t.Helper()
	port := strconv.Itoa(FreePort(t))
	s := newServer(t, FreePort(t), append([]string{"--tls-port", port}, args...)...)
	s.tls = net.JoinHostPort("127.0.0.1", port)
	s.launch()
	return s
}

// peer returns the address at which others of its kind, and clients over TLS, reach the server.
func (s *Server) peer() string { return cmp.Or(s.tls, s.Addr) }

// peerURL returns the URL of peer.
func (s *Server) peerURL() string {
	if s.tls != "" {
		return "rediss://" + s.tls
	}
	return s.URL()
}

// secured returns the arguments of redis-server for TLS with a certificate of an authority of
// its own, and what trusts it and has such a certificate. ask is "yes" if clients have to show one.
func secured(t testing.TB, ask string) (args []string, trust *tls.Config) {
	t.Helper()
	cert, key, trust := certificate(t)
	return []string{"--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", ask}, trust
}

// certificate makes a certificate for 127.0.0.1 and returns its files, and what trusts it.
func certificate(t testing.TB) (cert, key string, trust *tls.Config) {
	t.Helper()
	public, private := certtest.Pair(t, x509.Certificate{
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	})
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, text := range map[string]string{cert: public, key: private} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, err := tls.X509KeyPair([]byte(public), []byte(private))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(own.Leaf)
	return cert, key, &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
}
