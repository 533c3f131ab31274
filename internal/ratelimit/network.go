package ratelimit

import "net/netip"

// The IPv6 networks in which a translator or a tunnel writes the addresses of IPv4 clients.
var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")   // RFC 6052, 2.1
	nat64Local = netip.MustParsePrefix("64:ff9b:1::/48") // RFC 8215
	sixToFour  = netip.MustParsePrefix("2002::/16")      // RFC 3056
	teredo     = netip.MustParsePrefix("2001::/32")      // RFC 4380, 4

	shared = netip.MustParsePrefix("100.64.0.0/10") // between a provider and its customers, RFC 6598
)

// Network returns the subject by which a client is counted: its IPv4 address, also where a
// translator (NAT64) or a tunnel (6to4, Teredo) wrote that into an IPv6 address, or else
// the /64 network of its IPv6 address, within which it can choose addresses freely. It
// returns anything but an address unchanged.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = Client(ip)
	if ip.Is4() || nat64.Contains(ip) || nat64Local.Contains(ip) {
		return ip.String() // all clients of a translator have one /64
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// Client returns the IPv4 address behind ip if ip contains a public one, and otherwise ip.
// Neither has a zone. A private IPv4 address stays in its IPv6 address: another network's
// 10.0.0.1 is not ours.
func Client(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	b := ip.As16()
	var v4 netip.Addr
	switch {
	case nat64.Contains(ip):
		v4 = netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(ip):
		v4 = netip.AddrFrom4([4]byte(b[2:6]))
	case teredo.Contains(ip):
		v4 = netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})
	}
	if v4.IsGlobalUnicast() && !v4.IsPrivate() && !shared.Contains(v4) {
		return v4
	}
	return ip
}
