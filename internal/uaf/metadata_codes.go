package uaf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// codes is a member of a metadata statement that may be a number, a name, or an
// array of either. Null is an empty list.
type codes []code

type code struct {
	name   string
	number uint32
}

var errCode = errors.New("neither a number nor a name")

// UnmarshalJSONFrom reads any of the spellings.
func (c *codes) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == jsontext.KindBeginArray {
		var list []code
		err := json.UnmarshalDecode(dec, &list)
		*c = list
		return err
	}
	if dec.PeekKind() == jsontext.KindNull {
		return dec.SkipValue()
	}
	var one code
	err := json.UnmarshalDecode(dec, &one)
	*c = codes{one}
	return err
}

// UnmarshalJSONFrom reads a number or a name.
func (c *code) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case jsontext.KindNumber:
		return json.UnmarshalDecode(dec, &c.number)
	case jsontext.KindString:
		return json.UnmarshalDecode(dec, &c.name)
	}
	return errCode
}

// resolve returns a code's number: its own, the number of its name in the registry, or
// its name's digits.
func (c code) resolve(names map[string]uint32) (uint32, error) {
	if c.name == "" {
		return c.number, nil
	}
	name := strings.ToLower(c.name)
	for _, prefix := range registryPrefixes {
		name = strings.TrimPrefix(name, prefix)
	}
	if number, ok := names[name]; ok {
		return number, nil
	}
	number, err := strconv.ParseUint(name, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%.64q is not in the registry", c.name)
	}
	return uint32(number), nil
}

// listed resolves members that hold 16-bit constants, each once.
func listed[T ~uint16](to *[]T, names map[string]uint32, members ...codes) error {
	seen := map[T]bool{}
	for _, member := range members {
		for _, c := range member {
			number, err := c.resolve(names)
			if err != nil {
				return err
			}
			if number > math.MaxUint16 {
				return fmt.Errorf("constant %d is out of range", number)
			}
			if value := T(number); !seen[value] {
				seen[value] = true
				*to = append(*to, value)
			}
		}
	}
	return nil
}

// flagged resolves a member that holds flags, in one number or in many.
func flagged[T uint16 | uint32](to *T, names map[string]uint32, member codes) error {
	for _, c := range member {
		number, err := c.resolve(names)
		if err != nil {
			return err
		}
		if uint32(T(number)) != number {
			return fmt.Errorf("flags %d are out of range", number)
		}
		*to |= T(number)
	}
	return nil
}
