package uaf

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type responseWire struct {
	Header     *Header      `json:"header"`
	FCParams   *string      `json:"fcParams"`
	Assertions *[]Assertion `json:"assertions"`
}

// UnmarshalJSONFrom reads the dictionary; its three members are required.
func (r *Response) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[responseWire](dec)
	if err != nil {
		return err
	}
	return first(
		need(&r.Header, wire.Header, "header"),
		need(&r.FCParams, wire.FCParams, "fcParams"),
		need(&r.Assertions, wire.Assertions, "assertions"),
	)
}

type assertionWire struct {
	Scheme     *string                  `json:"assertionScheme"`
	Text       *string                  `json:"assertion"`
	Displays   list[PNGCharacteristics] `json:"tcDisplayPNGCharacteristics"`
	Extensions list[Extension]          `json:"exts"`
}

// UnmarshalJSONFrom reads the dictionary; scheme and assertion are required.
func (a *Assertion) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[assertionWire](dec)
	if err != nil {
		return err
	}
	a.Displays, a.Extensions = wire.Displays, wire.Extensions
	return first(
		need(&a.Scheme, wire.Scheme, "assertionScheme"),
		need(&a.Text, wire.Text, "assertion"),
	)
}

// Encode writes the message: an array with this one dictionary. Parsing checks the
// limits, this does not.
func (r Response) Encode() (string, error) { return encodeMessage(r) }

func encodeMessage[M any](message M) (string, error) {
	data, err := json.Marshal([]M{message})
	if err != nil {
		return "", refuseCause(StatusInternalError, err, "message")
	}
	return string(data), nil
}

// requireOne judges every assertion and returns the first refusal unless at least one is
// good.
func requireOne(assertions []Assertion, judge func(Assertion) error) error {
	var first error
	good := 0
	for _, a := range assertions {
		err := judge(a)
		if err == nil {
			good++
		} else if first == nil {
			first = err
		}
	}
	if good > 0 {
		return nil
	}
	return first
}
