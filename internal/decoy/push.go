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
	// RequestMessage is the number of characters of the orchestration SDK's command, or
	// zero; Upper says whether its hexadecimal digits are capitals.
	RequestMessage uint32 `json:"requestMessage"`
	Upper          bool   `json:"upper"`
}

func (pushRecord) valid() bool { return true }

// pushName returns the question's name for a push with these deliveries.
func pushName(deliveries []string) string {
	return "push:" + strings.Join(slices.Compact(slices.Sorted(slices.Values(deliveries))), "+")
}

// RealPush stores the parameters of requestMessage, the orchestration SDK's command in
// the platform's answer to a push, or "". The error is an outage.
func (r Records) RealPush(ctx context.Context, deliveries []string, requestMessage string) error {
	record := pushRecord{RequestMessage: uint32(len(requestMessage)), Upper: strings.ToLower(requestMessage) != requestMessage}
	return r.update(ctx, pushName(deliveries), record)
}

// DecoyPush returns the requestMessage of a push that reaches nobody, or "".
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
