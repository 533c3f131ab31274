package fault

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Sources lists the platform's texts and numbers for the row of key, as the documentation
// shows them: texts in quotes, numbers with their member. A row of our own has none.
func Sources(key Key) []string {
	var all []string
	for _, message := range upstreamMessages {
		if message.key == key {
			all = append(all, strconv.Quote(message.text))
		}
	}
	for _, c := range codes {
		switch {
		case c.key != key:
		case c.first == c.last:
			all = append(all, fmt.Sprintf("errorCode %d", c.first))
		default:
			all = append(all, fmt.Sprintf("errorCode %d to %d", c.first, c.last))
		}
	}
	for _, category := range slices.Sorted(maps.Keys(categoryRows)) {
		if categoryRows[category] == key {
			all = append(all, "errorCategory "+category)
		}
	}
	for _, status := range slices.Sorted(maps.Keys(uafRows)) {
		if uafRows[status] == key {
			all = append(all, fmt.Sprintf("uafStatusCode %d", status))
		}
	}
	return all
}
