package web

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns the address of the client, "" if the connection has none, and
// whether the request comes through a trusted proxy, whose headers about the request are
// then believed.
//
// X-Forwarded-For is read from its end, where the nearest proxy wrote. The client is the
// first address there that is not a trusted proxy's, or the furthest one if all are. An
// entry that cannot be read ends the search: what stands left of it may be a client's own.
func (e *edge) clientAddress(r *http.Request) (address string, proxied bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "", false
	}
	client := canonical(peer.Addr())
	proxied = e.trusts(client)
	for _, line := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for rest, more := line, true; more && e.trusts(client); {
			var entry string
			entry, rest, more = cutLast(rest)
			if entry == "" { // an empty element of a list: RFC 9110, 5.6.1
				continue
			}
			next, ok := forwarded(entry)
			if !ok {
				e.unreadable.Do(func() {
					e.Logger.Warn("invalid X-Forwarded-For entry; entries to its left ignored", slog.String("proxy", client.String()))
				})
				return client.String(), proxied
			}
			client = next
		}
	}
	return client.String(), proxied
}

// cutLast returns the last entry of a comma-separated list and the list before it; more is
// false if nothing is before it.
func cutLast(list string) (entry, rest string, more bool) {
	i := strings.LastIndexByte(list, ',')
	return strings.Trim(list[i+1:], " \t"), list[:max(i, 0)], i >= 0
}

// forwarded reads an entry of X-Forwarded-For: an address, as some proxies write it with a
// port, an IPv6 address in brackets, or all of that in quotes. The port is ignored.
func forwarded(entry string) (netip.Addr, bool) {
	if n := len(entry); n > 1 && entry[0] == '"' && entry[n-1] == '"' {
		entry = entry[1 : n-1]
	}
	if withPort, err := netip.ParseAddrPort(entry); err == nil {
		return canonical(withPort.Addr()), true
	}
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return canonical(address), closed && err == nil && address.Is6()
	}
	address, err := netip.ParseAddr(entry)
	return canonical(address), err == nil
}

// canonical returns address without a zone, which only the machine that wrote it understands,
// and an IPv4 address as such also if it is written as IPv6 (::ffff:192.0.2.1).
func canonical(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

// trusts reports whether address is a trusted proxy's.
func (e *edge) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(e.TrustedProxies, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}
