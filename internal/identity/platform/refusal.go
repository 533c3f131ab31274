package platform

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/payload"
	"countersign/internal/upstream"
)

// refusal is the parsed content of an error's body.
type refusal struct {
	texts         []string
	number        int
	category      string
	uafStatusCode int
	command       string
	// words are plain words for the log, by member.
	words map[string]string
}

// cause returns err with the numbers that its texts lack, for the log.
func (r refusal) cause(err error) error {
	var all []string
	for name, number := range map[string]int{"errorCode": r.number, "uafStatusCode": r.uafStatusCode} {
		if number != 0 {
			all = append(all, fmt.Sprintf("%s %d", name, number))
		}
	}
	for name, word := range r.words {
		if word != "" {
			all = append(all, name+" "+word)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(all, ", "))
}

// isEmpty reports whether the body has nothing of the platform's errors (docs/platform.md
// I11).
func (r refusal) isEmpty() bool {
	return len(r.texts) == 0 && r.number == 0 && r.category == "" && r.uafStatusCode == 0
}

// readRefusal parses an object, whole or cut off, a JSON string or a line of plain text;
// from anything else, such as a gateway's page, it takes nothing.
func readRefusal(response *upstream.Error) refusal {
	var r refusal
	members := payload.Members(response.Body)
	for _, name := range textMembers {
		r.addText(textOf(members[name]))
		// Some gateways put the whole error into a member of that name.
		r.addText(textOf(payload.Members(members[name])["message"]))
	}
	for _, text := range response.ValidationErrors {
		r.addText(text)
	}
	if len(members) == 0 {
		r.addText(plainText(response.Body))
	}
	for _, name := range numberMembers {
		if n := numberOf(members[name]); n != 0 && r.number == 0 {
			r.number = n
		}
	}
	r.category = textOf(members["errorCategory"])
	r.words = map[string]string{"errorCategory": wordOf(members["errorCategory"]), "logCorrelationId": cmp.Or(wordOf(members["logCorrelationId"]), wordOf(members["logCorrelationID"]))}
	r.uafStatusCode = numberOf(members["uafStatusCode"])
	if command := textOf(members["command"]); command != "" {
		if _, err := hex.DecodeString(command); err == nil {
			r.command = command
		}
	}
	return r
}

func (r *refusal) addText(text string) {
	if text != "" {
		r.texts = append(r.texts, text)
	}
}
