package ratelimit

import "net/netip"

// Network returns the subject by which a client is counted: its IPv4 address, or the /64
// network of its IPv6 address, within which it can choose addresses freely. It returns
// anything else unchanged.
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
