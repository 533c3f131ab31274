package redisdb

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Check reports what is wrong with the URL, the mode and their other options, as Open
// would, without connecting.
func Check(o Options) error {
	_, err := parse(o)
	return err
}

// Ignored returns the parameters of a URL that have no effect, sorted: time-outs and
// retries are our own, and only masters are read.
func Ignored(text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var names []string
	for name := range u.Query() {
		if slices.Contains(ignored, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var ignored = []string{
	"protocol", "unstable_resp3", "disableIdentity", "identitySuffix", "context_timeout_enabled",
	"dial_timeout", "read_timeout", "write_timeout", "pool_timeout", "dialer_retries",
	"max_retries", "min_retry_backoff", "max_retry_backoff", "max_redirects",
	"read_only", "replica_only", "use_disconnected_replicas", "route_by_latency", "route_by_latency_tolerance", "route_randomly",
}

// form is a URL as go-redis parses it in one of the modes; the other fields are nil.
type form struct {
	single   *redis.Options
	sentinel *redis.FailoverOptions
	cluster  *redis.ClusterOptions
}

// parse parses the URL with go-redis's own parser for the mode.
func parse(o Options) (f form, err error) {
	if o.URL == "" {
		return f, errors.New("the URL is missing")
	}
	switch o.Mode {
	case ModeSingle, "":
		if f.single, err = redis.ParseURL(o.URL); err != nil {
			return form{}, parseError(err)
		}
		f.single.TLSConfig = o.secured(f.single.TLSConfig)
		return f, checkPlaces(f.single.DB, f.single.Addr)
	case ModeSentinel:
		f.sentinel, err = parseSentinel(o)
		return f, err
	case ModeCluster:
		if f.cluster, err = redis.ParseClusterURL(o.URL); err != nil {
			return form{}, parseError(err)
		}
		if u, _ := url.Parse(o.URL); u != nil && strings.Trim(u.Path, "/0") != "" {
			return form{}, errors.New("names a database, and a cluster has one alone")
		}
		f.cluster.TLSConfig = o.secured(f.cluster.TLSConfig)
		return f, checkPlaces(0, f.cluster.Addrs...)
	}
	return f, fmt.Errorf("mode %q must be one of single, sentinel and cluster", o.Mode)
}

// parseSentinel parses a URL in go-redis's form: the user and the password before the @
// are the Sentinels', and the parameters username and password are Redis's.
func parseSentinel(o Options) (*redis.FailoverOptions, error) {
	f, err := redis.ParseFailoverURL(o.URL)
	if err != nil {
		return nil, parseError(err)
	}
	if f.MasterName == "" {
		return nil, errors.New("does not name the master: it ends in ?master_name=…")
	}
	f.TLSConfig = o.secured(f.TLSConfig)
	return f, checkPlaces(f.DB, f.SentinelAddrs...)
}

// checkPlaces refuses databases and addresses that go-redis would accept and never find.
func checkPlaces(database int, addresses ...string) error {
	if database < 0 {
		return errors.New("names a database below 0")
	}
	for _, address := range addresses {
		_, text, err := net.SplitHostPort(address)
		if err != nil {
			continue // a socket
		}
		if port, err := strconv.ParseUint(text, 10, 16); err != nil || port == 0 {
			return errors.New("names a port that is not between 1 and 65535")
		}
	}
	return nil
}

// secured returns the TLS configuration if the URL asks for TLS: our own, with the server
// name of the URL.
func (o Options) secured(asked *tls.Config) *tls.Config {
	if asked == nil {
		return nil
	}
	if o.TLS != nil {
		ours := o.TLS.Clone()
		ours.ServerName, ours.InsecureSkipVerify = asked.ServerName, asked.InsecureSkipVerify // the settings refuse the latter
		asked = ours
	}
	asked.MinVersion = tls.VersionTLS12
	return asked
}

// badValue matches go-redis's error for a parameter whose value does not parse.
var badValue = regexp.MustCompile(`^redis: invalid (\w+) (number|duration|boolean)`)

// parseError describes what is wrong with a URL without repeating it: the parsers quote
// their input, which may be a piece of the password.
func parseError(err error) error {
	text := err.Error()
	for _, harmless := range []string{"redis: unexpected option", "redis: invalid URL scheme"} {
		if strings.HasPrefix(text, harmless) {
			return errors.New(strings.TrimPrefix(text, "redis: "))
		}
	}
	if found := badValue.FindStringSubmatch(text); found != nil && found[1] != "database" {
		return fmt.Errorf("its parameter %s is not a valid %s", found[1], found[2])
	}
	return errors.New("does not parse; it is redis[s]://[user:password@]host[:port][/database][?option=value], " +
		"special characters of the password percent-encoded")
}
