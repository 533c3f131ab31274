package sandbox

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/sandbox/inspector"
	"countersign/internal/sandbox/wire"
)

// ServeHTTP answers a request that passes the guards. Every answer carries a
// log-correlation-id.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(wire.CorrelationHeader, uuid.NewString())
	handler := http.Handler(s.platform)
	if isManagement(r) {
		handler = s.management
	}
	if refusal := s.guard.refuse(r); refusal != nil {
		s.log.Warn("refused", "host", r.Host, "from", r.RemoteAddr, "path", r.URL.Path, "status", refusal.Status)
		if s.guard.key != "" && refusal == errNoKey && strings.Contains(r.Header.Get("Accept"), "text/html") {
			inspector.Login("", refusal.Status).ServeHTTP(w, r)
			return
		}
		wire.WriteError(w, refusal)
		return
	}
	handler.ServeHTTP(w, r)
}

const managementPath = "/_manage"

func isManagement(r *http.Request) bool {
	return r.URL.Path == managementPath || strings.HasPrefix(r.URL.Path, managementPath+"/")
}

// guard decides which requests reach the sandbox. It refuses those that a page in a browser
// may have sent: under a name that merely resolves to this machine (DNS rebinding), or from
// another site. /_manage/ also serves this machine alone, and callers with the key.
type guard struct {
	hosts   []string // further names, in lower case, each with a port or for any
	key     string   // of /_manage/ for other machines; "" keeps them out
	session string   // the value of the cookie of browsers that gave the key
}

func newGuard(o Options) *guard {
	return &guard{hosts: o.Hosts, key: o.ManageKey, session: rand.Text()}
}

var errNoKey = wire.Refuse(http.StatusForbidden, "The management interface is for this machine, and for callers with the management key")

// refuse returns why a request is refused, or nil.
func (g *guard) refuse(r *http.Request) *wire.Error {
	origin := r.Header.Get("Origin")
	foreign := origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host
	switch {
	case !g.hostIsOurs(r):
		return wire.Refuse(http.StatusMisdirectedRequest, "The sandbox is served under a loopback name, and under the names of COUNTERSIGN_SANDBOX_HOSTS")
	case !isManagement(r) && foreign:
		return wire.Refuse(http.StatusForbidden, "The platform is not for pages of other sites")
	case !isManagement(r):
		return nil
	case foreign || g.otherSite(r, origin != ""):
		return wire.Refuse(http.StatusForbidden, "The management interface is not for pages of other sites")
	case !g.admits(r):
		return errNoKey
	}
	return nil
}

// otherSite reports whether a page of another site may have had a browser send the
// request. A browser with the cookie must say where a change comes from.
func (g *guard) otherSite(r *http.Request, hasOrigin bool) bool {
	site, reads := r.Header.Get("Sec-Fetch-Site"), r.Method == http.MethodGet || r.Method == http.MethodHead
	switch site {
	case "same-origin":
		return false
	case "":
		return !reads && !hasOrigin && hasCookie(r)
	case "none": // typed, or a bookmark
		return !reads
	default:
		return !reads || r.Header.Get("Sec-Fetch-Mode") != "navigate"
	}
}

// admits reports whether the caller may use /_manage/.
func (g *guard) admits(r *http.Request) bool {
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && from.Addr().Unmap().IsLoopback() {
		return true
	}
	if g.key == "" {
		return false
	}
	cookie, err := r.Cookie(cookieName)
	return isOpen(r.URL.Path) || equal(r.Header.Get("Authorization"), "Bearer "+g.key) || err == nil && equal(cookie.Value, g.session)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// hostIsOurs reports whether the Host is one of the further names, or a loopback name with
// the connection's own port.
func (g *guard) hostIsOurs(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), "80"
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return false
	}
	name := strings.ToLower(host)
	if slices.Contains(g.hosts, name) || slices.Contains(g.hosts, net.JoinHostPort(name, port)) {
		return true
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
