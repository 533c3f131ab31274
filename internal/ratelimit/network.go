package ratelimit

import "net/netip"

// Network is what a client is counted by: its IPv4 address, or the /64 network of its
// IPv6 address, within which it can choose addresses as it likes. What is no address is
// returned as it is.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
