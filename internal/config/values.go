package config

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// keyBytes is the length of every key.
const keyBytes = 32

// none is the setting's value for a service that needs no credential.
const none = "none"

// Level is a slog.Leveler.
type Level slog.Level

// Level returns l as a slog.Level.
func (l Level) Level() slog.Level { return slog.Level(l) }

// String returns debug, info, warn or error.
func (l Level) String() string { return strings.ToLower(slog.Level(l).String()) }

// Delay is a time to wait; zero means no wait.
type Delay time.Duration

// String returns the delay in the usual form: 5s.
func (d Delay) String() string { return short(time.Duration(d)) }

// Interval is the time after which something is done again; zero means never.
type Interval time.Duration

// String returns the interval in the usual form, 5m, or off.
func (i Interval) String() string {
	if i == 0 {
		return "off"
	}
	return short(time.Duration(i))
}

// Days is a number of days; zero means never.
type Days int

// String returns the number, or off.
func (d Days) String() string {
	if d == 0 {
		return "off"
	}
	return strconv.Itoa(int(d))
}

// Duration returns so many times 24 hours.
func (d Days) Duration() time.Duration { return time.Duration(d) * 24 * time.Hour }

// mostDays limits Days: a hundred years.
const mostDays = 36_500

func parseDays(text string) (Days, error) {
	if text == "off" {
		return 0, nil
	}
	days, err := strconv.Atoi(text)
	if err != nil || days < 1 || days > mostDays {
		return 0, fmt.Errorf("%q is neither a number of days from 1 to %d nor off", text, mostDays)
	}
	return Days(days), nil
}

// parsers returns the parsers for every type of a Config's fields. They report unreadable
// text; the field then keeps its zero value.
func parsers(report func(error)) map[reflect.Type]env.ParserFunc {
	return map[reflect.Type]env.ParserFunc{
		reflect.TypeFor[Origin]():         parser(ParseOrigin, report),
		reflect.TypeFor[[]string]():       parser(parseList, report),
		reflect.TypeFor[[]netip.Prefix](): parser(parsePrefixes, report),
		reflect.TypeFor[[]byte]():         parser(parseKey, report),
		reflect.TypeFor[[][]byte]():       parser(parseKeys, report),
		reflect.TypeFor[Document]():       parser(parseDocument, report),
		reflect.TypeFor[Paths]():          parser(parsePaths, report),
		reflect.TypeFor[time.Duration]():  parser(parseDuration, report),
		reflect.TypeFor[Delay]():          parser(parseDelay, report),
		reflect.TypeFor[Interval]():       parser(parseInterval, report),
		reflect.TypeFor[Days]():           parser(parseDays, report),
		reflect.TypeFor[bool]():           parser(parseBool, report),
		reflect.TypeFor[Level]():          parser(parseLevel, report),
		reflect.TypeFor[Size]():           parser(parseSize, report),
		reflect.TypeFor[int]():            parser(parseCount, report),
	}
}

func parser[T any](parse func(string) (T, error), report func(error)) env.ParserFunc {
	return func(text string) (any, error) {
		value, err := parse(text)
		if err != nil {
			report(err)
		}
		return value, nil
	}
}

func parseList(text string) ([]string, error) {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return nil, errors.New("names nothing: write a list with commas between its entries")
	}
	return items, nil
}

func parsePrefixes(text string) ([]netip.Prefix, error) {
	items, err := parseList(text)
	if err != nil {
		return nil, err
	}
	prefixes := make([]netip.Prefix, len(items))
	for i, item := range items {
		if prefixes[i], err = parsePrefix(item); err != nil {
			return nil, err
		}
	}
	return prefixes, nil
}

// mappedBits is the length of the prefix before an IPv4 address written as IPv6.
const mappedBits = 96

// parsePrefix returns an IPv4 range as such also if it is written as IPv6, as in
// ::ffff:10.0.0.0/104.
func parsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is neither an IP address nor a range such as 10.0.0.0/8", text)
	}
	if addr := prefix.Addr(); addr.Is4In6() {
		if prefix.Bits() < mappedBits {
			return netip.Prefix{}, fmt.Errorf("%q begins with an IPv4 address and reaches beyond IPv4", text)
		}
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-mappedBits)
	}
	return prefix.Masked(), nil
}

// parseKeys and parseKey never repeat their input.
func parseKeys(text string) ([][]byte, error) {
	items, err := parseList(text)
	if err != nil {
		return nil, err
	}
	keys, seen := make([][]byte, len(items)), map[string]bool{}
	for i, item := range items {
		if keys[i], err = parseKey(item); err != nil {
			return nil, fmt.Errorf("key %d of %d %w", i+1, len(items), err)
		}
		if seen[string(keys[i])] {
			return nil, fmt.Errorf("key %d of %d stands there twice", i+1, len(items))
		}
		seen[string(keys[i])] = true
	}
	return keys, nil
}

func parseKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	decode := hex.DecodeString
	if len(text) != hex.EncodedLen(keyBytes) {
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		text, decode = standard, base64.RawStdEncoding.DecodeString
	}
	key, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("is neither hexadecimal nor base64 of %d bytes", keyBytes)
	}
	if len(key) != keyBytes {
		return nil, fmt.Errorf("has %d bytes instead of %d", len(key), keyBytes)
	}
	if bytes.Count(key, key[:1]) == keyBytes {
		return nil, errors.New("is one byte, repeated: to make a key: openssl rand -hex 32")
	}
	return key, nil
}

func parseDocument(text string) (Document, error) { return Document(text), nil }

func parseDuration(text string) (time.Duration, error) {
	duration, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration such as 30s, 10m or 12h", text)
	case duration < time.Millisecond:
		return 0, fmt.Errorf("%s is not a time that can pass: at least 1ms", text)
	}
	return duration, nil
}

func parseDelay(text string) (Delay, error) {
	if delay, err := time.ParseDuration(text); err == nil && delay == 0 {
		return 0, nil
	}
	duration, err := parseDuration(text)
	return Delay(duration), err
}

func parseInterval(text string) (Interval, error) {
	if strings.EqualFold(text, "off") {
		return 0, nil
	}
	duration, err := parseDuration(text)
	return Interval(duration), err
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "on", "yes":
		return true, nil
	case "off", "no":
		return false, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return value, nil
}

func parseLevel(text string) (Level, error) {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if strings.EqualFold(text, level.String()) {
			return Level(level), nil
		}
	}
	return 0, fmt.Errorf("%q is not one of debug, info, warn, error", text)
}

func parseCount(text string) (int, error) {
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("%q is not a number from 1 on", text)
	}
	return int(number), nil
}
