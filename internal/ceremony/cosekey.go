package ceremony

import "errors"

// The labels that every COSE_Key of Web Authentication has (RFC 9052 section 7.1;
// Web Authentication section 6.5.1).
const (
	labelKeyType   int64 = 1
	labelAlgorithm int64 = 3
)

var errNotKey = errors.New("not a COSE key: a map with a type and an algorithm")

// checkCOSEKey checks that encoded is a well-formed COSE_Key: a map with its type and its
// algorithm. The platform judges whether these are accepted and the rest is a usable key.
func checkCOSEKey(encoded []byte) error {
	var item any
	if err := strict.Unmarshal(encoded, &item); err != nil {
		return err
	}
	members, ok := item.(map[any]any)
	if !ok {
		return errNotKey
	}
	for _, label := range []int64{labelKeyType, labelAlgorithm} {
		if _, isNumber := members[label].(int64); !isNumber {
			return errNotKey
		}
	}
	return nil
}
