package decoy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
)

// pushRecord has the parameters of the platform's answer to a push.
type pushRecord struct {
	// RequestMessage is the number of characters of the orchestration SDK's command, zero
	// for none; Upper tells whether its hexadecimal digits are capitals.
	RequestMessage uint32 `json:"requestMessage"`
	Upper          bool   `json:"upper"`
}

func (pushRecord) valid() bool { return true }

// pushName is the question of a push that is delivered so.
func pushName(deliveries []string) string {
	return "push:" + strings.Join(slices.Compact(slices.Sorted(slices.Values(deliveries))), "+")
}

// RealPush keeps what decoys need to know of requestMessage, the command for the
// orchestration SDK in the platform's answer to a push ("" for none). The error is an
// outage.
func (r Records) RealPush(ctx context.Context, deliveries []string, requestMessage string) error {
	record := pushRecord{RequestMessage: uint32(len(requestMessage)), Upper: strings.ToLower(requestMessage) != requestMessage}
	return r.learn(ctx, pushName(deliveries), record)
}

// DecoyPush is the requestMessage of a push that reaches nobody; "" for none.
func (r Records) DecoyPush(deliveries []string) string {
	record, _ := read[pushRecord](r, pushName(deliveries))
	command := make([]byte, (record.RequestMessage+1)/2)
	_, _ = rand.Read(command)
	text := hex.EncodeToString(command)[:record.RequestMessage]
	if record.Upper {
		return strings.ToUpper(text)
	}
	return text
}
