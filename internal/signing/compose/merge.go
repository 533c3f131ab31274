package compose

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/signing"
)

// membersOf returns the members of v in JSON.
func membersOf(v any) map[string]jsontext.Value {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is one of our own types
	}
	return payload.Members(text)
}

// overwritten returns an object of the platform with the members that differ between before
// and after as they are in after. All others stay, also those that neither has.
func overwritten(object jsontext.Value, before, after any) jsontext.Value {
	members := payload.Members(object)
	change(members, membersOf(before), membersOf(after))
	return written(members)
}

// change changes the members that differ between before and after, and those of the objects
// in them.
func change(members, before, after map[string]jsontext.Value) {
	for name := range before {
		if _, stays := after[name]; !stays {
			delete(members, name)
		}
	}
	for name, now := range after {
		was := before[name]
		switch {
		case bytes.Equal(was, now):
		case was.Kind() == '{' && now.Kind() == '{' && members[name].Kind() == '{':
			inner := payload.Members(members[name])
			change(inner, payload.Members(was), payload.Members(now))
			members[name] = written(inner)
		default:
			members[name] = now
		}
	}
}

// written returns members as an object, in a fixed order.
func written(members map[string]jsontext.Value) jsontext.Value {
	text, err := json.Marshal(members, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // each was read from JSON
	}
	return text
}

// placeMembers are the members that place a field.
var placeMembers = []string{"page", "left", "top", "width", "height", "extract", "extractAnchor"}

// changedField returns a field of the platform as the form has it now; before and after are
// the form's fields in the platform's terms. replaced says that it is placed elsewhere.
func changedField(f originField, before, after signing.Field) (value jsontext.Value, replaced bool) {
	was, now := membersOf(before), membersOf(after)
	members := payload.Members(f.members)
	for _, name := range placeMembers {
		replaced = replaced || !bytes.Equal(was[name], now[name])
	}
	if replaced { // its place is one whole
		for _, name := range placeMembers {
			delete(members, name)
			delete(was, name)
		}
	}
	if before.Type != after.Type || before.Subtype != after.Subtype {
		delete(members, "validation")
		delete(was, "validation")
	}
	change(members, was, now)
	return written(members), replaced
}
