package apidoc

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// filler puts texts in the places of their descriptions, each of the same length. It counts how
// often it met a description, so that texts of one description differ where they are long enough.
type filler map[string]int

// firstMark is the first of the characters that begin a filled text, in a private area of Unicode
// that no platform uses. Each stands for one set of patterns that matched.
const firstMark = '\uE000'

// matches are the sets of patterns that matched texts of recordings. The mark of a set is as far
// behind firstMark as the set is in the list.
var matches struct {
	sync.Mutex
	sets []string
}

func (f filler) fill(described string) string {
	description, ok := strings.CutPrefix(described, mark)
	words := strings.Fields(description)
	if !ok || len(words) == 0 {
		return described // a text that was kept
	}
	length, err := strconv.Atoi(words[0])
	if err != nil || length < 0 || length > maxKept {
		return described
	}
	for _, known := range forms {
		if slices.Contains(words, known.name) {
			return known.example
		}
	}
	if length == 0 {
		return ""
	}
	f[described]++
	number := strconv.Itoa(f[described])
	if len(number) >= length {
		number = ""
	}
	return string(markOf(words[1:])) + number + strings.Repeat("x", length-1-len(number))
}

func markOf(matched []string) rune {
	set := " " + strings.Join(matched, " ") + " "
	matches.Lock()
	defer matches.Unlock()
	at := slices.Index(matches.sets, set)
	if at < 0 {
		at = len(matches.sets)
		matches.sets = append(matches.sets, set)
	}
	return firstMark + rune(at)
}

// recordedMatch reports what a pattern said of the text in whose place value stands.
func recordedMatch(pattern, value string) (matched, known bool) {
	first, _ := utf8.DecodeRuneInString(value)
	matches.Lock()
	defer matches.Unlock()
	at := int(first - firstMark)
	if at < 0 || at >= len(matches.sets) {
		return false, false
	}
	return strings.Contains(matches.sets[at], " "+patternName(pattern)+" "), true
}

func (f filler) body(text json.RawMessage) ([]byte, error) {
	switch string(text) {
	case "":
		return []byte{}, nil
	case "null":
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return json.Marshal(f.value(value))
}

func (f filler) value(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[f.fill(name)] = f.value(member)
		}
		return out
	case []any:
		for i := range v {
			v[i] = f.value(v[i])
		}
	case string:
		return f.fill(v)
	}
	return value
}

// patternName is a short name of a pattern, which may itself say much.
func patternName(pattern string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(pattern))
	return "p" + strconv.FormatUint(uint64(sum.Sum32()), 36)
}
