package verification

import (
	"io"
	"math"
	"strconv"
	"strings"

	"countersign/internal/payload"
)

const (
	// maxErased limits the transactions that one request names.
	maxErased = 500
	// MaxGrace limits the days until they are erased.
	MaxGrace = 36_500
)

// Erasure is a checked request to mark transactions for erasure, or to take that back.
type Erasure struct {
	// Days is the grace period; 0 when taking back.
	Days int
	// IDs are the transactions' ids, each once.
	IDs []string
}

// ReadErasure reads and checks the payload of a request to mark transactions or, if
// marking is false, to take marks back. It returns the same errors as ReadCreation.
func ReadErasure(body io.Reader, marking bool) (Erasure, error) {
	text, _, err := payload.Read(body, &payload.Scanner{Limit: maxSkeleton})
	if err != nil {
		return Erasure{}, payload.ReadFailed(err, payload.Malformed)
	}
	violations, erasure := new(payload.Violations), Erasure{}
	whole, err := object(violations, text)
	if err != nil {
		return Erasure{}, err
	}
	if marking {
		erasure.Days = days(whole)
	}
	erasure.IDs = ids(whole)
	return erasure, violations.Err()
}

func days(whole payload.Object) int {
	given, ok := whole.Member("grace_period")
	if !ok {
		whole.Note("grace_period", "field.required")
		return 0
	}
	days, err := strconv.ParseFloat(string(given.Raw()), 64)
	if given.Kind() != '0' || err != nil || days != math.Trunc(days) || days < 0 || days > MaxGrace {
		given.Note("field.grace-period")
	}
	return int(days)
}

func ids(whole payload.Object) (all []string) {
	list, ok := whole.Member("transaction_ids")
	if !ok {
		whole.Note("transaction_ids", "field.required")
		return nil
	}
	if count := list.Count(); list.Kind() == '[' && (count == 0 || count > maxErased) {
		list.Note("field.uuids")
		return nil
	}
	seen := map[string]bool{}
	for element := range list.Elements() {
		id, ok := ID(element.StringOrEmpty())
		switch {
		case !ok:
			element.Note("field.uuid")
		case seen[id]:
			element.Note("field.taken")
		}
		seen[id] = true
		all = append(all, id)
	}
	return all
}

// ID returns a UUID in lower case, and false unless text is one in its canonical form.
func ID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	for i, b := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (b == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(b)) {
			return "", false
		}
	}
	return strings.ToLower(text), true
}
