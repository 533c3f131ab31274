package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// ServeHTTP answers a request that passes the guards. Every answer carries a
// log-correlation-id.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(wire.CorrelationHeader, uuid.NewString())
	handler := http.Handler(s.platform)
	if strings.HasPrefix(r.URL.Path, "/_manage/") {
		handler = s.management
	}
	if refusal := guard(r); refusal != nil {
		s.log.Warn("refused", "host", r.Host, "from", r.RemoteAddr, "path", r.URL.Path, "status", refusal.Status)
		wire.WriteError(w, refusal)
		return
	}
	handler.ServeHTTP(w, r)
}

// guard refuses requests that a page in a browser may have sent: under a name that merely
// resolves to this machine (DNS rebinding), or to /_manage/ from another site. /_manage/
// also serves this machine alone.
func guard(r *http.Request) *wire.Error {
	if !hostIsOurs(r) {
		return wire.Refuse(http.StatusMisdirectedRequest, "The sandbox is served under a loopback name only")
	}
	origin := r.Header.Get("Origin")
	if !strings.HasPrefix(r.URL.Path, "/_manage/") {
		if origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
			return wire.Refuse(http.StatusForbidden, "The platform is not for pages of other sites")
		}
		return nil
	}
	if origin != "" {
		return wire.Refuse(http.StatusForbidden, "The management interface is not for browsers")
	}
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !from.Addr().Unmap().IsLoopback() {
		return wire.Refuse(http.StatusForbidden, "The management interface is for this machine only")
	}
	return nil
}

// hostIsOurs reports whether the Host is a loopback name with the connection's own port.
func hostIsOurs(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), "80"
	}
	if !isLoopback(host) {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || port == strconv.Itoa(local.Port)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
