package ceremony_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/ceremony"
)

func TestAPushDecoyLooksReal(t *testing.T) {
	t.Parallel()
	real := map[string]any{
		"requestID": "login:5b6a2f7e-9f5a-4d8e-8a58-5a0f6b1f2c3d", "requestMessage": "00ffa1b2c3d4e5f6",
		"riskResponseCode": jsontext.Value("0"), "eventId": jsontext.Value("1700000001"), "uafStatusCode": jsontext.Value("null"), "nested": jsontext.Value(`{"user":"alice"}`),
	}
	shape, err := ceremony.PushShape(real)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"5b6a2f7e", "00ffa1", "alice", "1700000001"} {
		if strings.Contains(shape, secret) {
			t.Errorf("%q is left in %s", secret, shape)
		}
	}
	seen := map[string]bool{}
	for range 20 {
		decoy, requestID := ceremony.PushDecoy(shape)
		again, err := ceremony.PushShape(decoy)
		if err != nil || again != shape {
			t.Errorf("a decoy has another shape, %s for %s: %v", again, shape, err)
		}
		id, message, event := fmt.Sprint(decoy["requestID"]), fmt.Sprint(decoy["requestMessage"]), fmt.Sprint(decoy["eventId"])
		if !strings.HasPrefix(id, "login:") || len(id) != len(real["requestID"].(string)) || len(message) != 16 || strings.Trim(message, "0123456789abcdef") != "" {
			t.Errorf("%v is not like %v", decoy, real)
		}
		if id != requestID {
			t.Errorf("%s is called %s", requestID, id)
		}
		if len(event) != 10 || event[0] == '0' {
			t.Errorf("event %s", event)
		}
		if seen[id] || seen[message] {
			t.Errorf("%v came before", decoy)
		}
		seen[id], seen[message] = true, true
	}
}

func TestTheFirstPushShape(t *testing.T) {
	t.Parallel()
	decoy, _ := ceremony.PushDecoy(ceremony.FirstPushShape)
	again, err := ceremony.PushShape(decoy)
	if diff := cmp.Diff(ceremony.FirstPushShape, again); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestAPushShapeOfNoUse(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"", "{", "[]", `"x"`, `{"a":"\ud800"}`, `{}`, `{"requestID":7}`} {
		decoy, _ := ceremony.PushDecoy(shape)
		if again, err := ceremony.PushShape(decoy); again != ceremony.FirstPushShape || err != nil {
			t.Errorf("%q became %v, %v", shape, decoy, err)
		}
	}
}
