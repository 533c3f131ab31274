package audit

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// knownDevices is how many devices a person is known by, the last used; devicesLife is
	// how long they are known after the last sign-in.
	knownDevices = 20
	devicesLife  = 400 * 24 * time.Hour
)

// sighting is a sign-in while Redis is asked whether its device is known.
type sighting struct{ added, known *redis.IntCmd }

// see has p note the device that e, a sign-in, came from.
//
//	cs:a:name:devices  the devices of a person, named by HMAC, by the time of their last sign-in
func (r recent) see(ctx context.Context, p redis.Pipeliner, e Event) sighting {
	s := r.shelves(e.Person, false)[0]
	name := strings.TrimSuffix(s.key, ":done") + ":devices"
	seen := sighting{
		added: p.ZAdd(ctx, name, redis.Z{Score: float64(e.At.Unix()), Member: s.sealer.Name("device " + device(e))}),
		known: p.ZCard(ctx, name),
	}
	p.ZRemRangeByRank(ctx, name, 0, -knownDevices-1)
	p.Expire(ctx, name, devicesLife)
	return seen
}

// isNew reports whether nobody signed in from the device before, and somebody did from
// another: of the first that is known there is nothing to tell.
func (s sighting) isNew() bool { return s.added.Val() == 1 && s.known.Val() > 1 }

// device is what e's device is known by: its User-Agent without the numbers, which change
// with each release, and the network that it is in, an IPv4 /16 or an IPv6 /32.
func device(e Event) string {
	kind := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, e.Device)
	ip, err := netip.ParseAddr(e.Address)
	if err != nil {
		return kind
	}
	bits := 32
	if ip = ip.Unmap(); ip.Is4() {
		bits = 16
	}
	return kind + " " + netip.PrefixFrom(ip, bits).Masked().String()
}
