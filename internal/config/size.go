package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Size is a number of bytes.
type Size int64

var (
	sizes = regexp.MustCompile(`(?i)^([1-9][0-9]{0,11}) ?(B|KiB|MiB|GiB|kB|MB|GB)?$`)
	units = map[string]int64{
		"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 1e3, "mb": 1e6, "gb": 1e9,
	}
)

// maxSize is the largest Size of a setting: 1 TiB.
const maxSize = 1 << 40

func parseSize(text string) (Size, error) {
	match := sizes.FindStringSubmatch(text)
	if match == nil {
		return 0, fmt.Errorf("%q is not a size such as 40MiB", text)
	}
	number, err := strconv.ParseInt(match[1], 10, 64)
	unit := units[strings.ToLower(match[2])]
	if err != nil || number > maxSize/unit {
		return 0, fmt.Errorf("%q is more than 1024GiB", text)
	}
	return Size(number * unit), nil
}

// Text returns s for people, with a space before its unit.
func (s Size) Text() string {
	text := s.String()
	if number := strings.TrimRight(text, "GiBMK"); number != text {
		return number + " " + text[len(number):]
	}
	return text + " B"
}

// String returns s in the largest unit that divides it.
func (s Size) String() string {
	for _, unit := range []string{"GiB", "MiB", "KiB"} {
		if bytes := Size(units[strings.ToLower(unit)]); s%bytes == 0 && s > 0 {
			return fmt.Sprintf("%d%s", s/bytes, unit)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
