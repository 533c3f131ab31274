package ceremony

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// PushShape is what can be remembered of answer, the members of the platform's
// answer to a pushed sign-in (identity facts 2.2), to make decoys in its likeness:
// every text is blanked but for its make, so that nothing of the person is left.
func PushShape(answer map[string]any) (string, error) {
	text, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("shape of a push: %w", err)
	}
	members, err := pushLike(text, telltale)
	if err != nil {
		return "", err
	}
	if text, err = json.Marshal(members, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("shape of a push: %w", err)
	}
	return string(text), nil
}

// PushDecoy is an answer to the push of a user who cannot sign in, and its
// requestID, so that nobody can tell by it: as shape, of PushShape, with fresh
// texts. A shape that is of no use counts as FirstPushShape.
func PushDecoy(shape string) (answer map[string]any, requestID string) {
	answer, err := pushLike([]byte(shape), drawn)
	if requestID, ok := answer["requestID"].(string); ok && err == nil {
		return answer, requestID
	}
	return PushDecoy(FirstPushShape)
}

// FirstPushShape is the shape to use until a real answer was seen.
const FirstPushShape = `{"requestID":"9f9f9f9f-f9f9-4f9f-b9f9-9f9f9f9f9f9f"}`

// pushLike writes the texts of an answer anew, and the number of its event. Codes
// and null stay as they are; what nests is none of the platform's.
func pushLike(text []byte, with pen) (map[string]any, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("shape of a push: %w", err)
	}
	out := make(map[string]any, len(members))
	for name, value := range members {
		switch kind := value.Kind(); {
		case name == "sessionStatus": // a word of its own
			out[name] = value
		case kind == '"':
			var content string
			if err := json.Unmarshal(value, &content); err != nil {
				return nil, fmt.Errorf("shape of a push: %w", err)
			}
			if name == "requestID" {
				out[name] = requestIDLike(content, with)
			} else {
				out[name] = textLike(content, with)
			}
		case kind == '0':
			if name == "eventId" {
				value = jsontext.Value(textLike(value.String(), digitsOf(with)))
			}
			out[name] = value
		case kind == 'n':
			out[name] = value
		}
	}
	return out, nil
}

// digitsOf is with, for a number: it never begins with a zero.
func digitsOf(with pen) pen {
	return func(alphabet []string, i int) byte {
		digit := with(alphabet, i)
		if i == 0 && digit == '0' {
			return '1'
		}
		return digit
	}
}
