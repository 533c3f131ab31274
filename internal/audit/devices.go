package audit

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// knownDevices limits the remembered devices of a person to those used last, and
	// devicesLife limits how long they are remembered after the last sign-in.
	knownDevices = 20
	devicesLife  = 400 * 24 * time.Hour
)

// deviceLookup holds the replies of Redis that tell whether a sign-in's device is known.
type deviceLookup struct{ added, known *redis.IntCmd }

// addDevice queues on p the commands that record the device of e, a sign-in.
//
//	cs:a:name:devices  the devices of a person, named by HMAC, by the time of their last sign-in
func (r recent) addDevice(ctx context.Context, p redis.Pipeliner, e Event) deviceLookup {
	s := r.lists(e.Person, false)[0]
	name := strings.TrimSuffix(s.key, ":done") + ":devices"
	seen := deviceLookup{
		added: p.ZAdd(ctx, name, redis.Z{Score: float64(e.At.Unix()), Member: s.sealer.Name("device " + device(e))}),
		known: p.ZCard(ctx, name),
	}
	p.ZRemRangeByRank(ctx, name, 0, -knownDevices-1)
	p.Expire(ctx, name, devicesLife)
	return seen
}

// isNew reports whether the person signed in from this device for the first time and had
// signed in from another before.
func (s deviceLookup) isNew() bool { return s.added.Val() == 1 && s.known.Val() > 1 }

// device returns the text that identifies e's device: its User-Agent without digits and
// dots, which change with each release, and its network, an IPv4 /16 or an IPv6 /32.
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
