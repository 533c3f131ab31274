package uaf

import "github.com/go-json-experiment/json/jsontext"

// dictionaries are the members of a message's array, unparsed. Their number is limited,
// so that an array of a hundred thousand zeros is refused at the seventeenth.
type dictionaries []jsontext.Value

// UnmarshalJSONFrom reads an array, each of its values checked for syntax.
func (d *dictionaries) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != jsontext.KindBeginArray {
		return unacceptable("a message is an array")
	}
	for dec.PeekKind() != jsontext.KindEndArray {
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if len(*d) == maxDictionaries {
			return unacceptable("more than %d dictionaries", maxDictionaries)
		}
		*d = append(*d, value.Clone())
	}
	_, err = dec.ReadToken()
	return err
}

// dictionaryVersion is the only part read of a dictionary of another version, which may
// differ in everything else.
type dictionaryVersion struct {
	Header struct {
		Version Version `json:"upv"`
	} `json:"header"`
}

// selectDictionary returns the dictionary of version 1.1 in a message, an array with one
// dictionary per version. Two of one version are refused.
func selectDictionary(message string) (jsontext.Value, error) {
	if len(message) > MaxMessage {
		return nil, unacceptable("message of %d bytes", len(message))
	}
	var sent dictionaries
	if err := decodeJSON("message", []byte(message), &sent); err != nil {
		return nil, err
	}
	byVersion := make(map[Version]jsontext.Value, len(sent))
	for _, dictionary := range sent {
		var read dictionaryVersion
		if err := decodeJSON("message", dictionary, &read, strict); err != nil {
			return nil, err
		}
		version := read.Header.Version
		if _, twice := byVersion[version]; twice {
			return nil, unacceptable("two dictionaries of version %d.%d", version.Major, version.Minor)
		}
		byVersion[version] = dictionary
	}
	chosen, ok := byVersion[ProtocolVersion()]
	if !ok {
		return nil, unacceptable("no dictionary of version 1.1")
	}
	return chosen, nil
}
