package uaf

import "encoding/binary"

// Element is a TLV element for writing: Value for a plain tag, Children, in order, for a
// composite one. Tag order inside a composite is free.
type Element struct {
	Tag      Tag
	Value    []byte
	Children []Element
}

// Encode writes the element with its 16-bit little-endian tag and length. It
// fails where a value or the children together exceed 65,535 bytes.
func (e Element) Encode() ([]byte, error) { return e.append(nil) }

func (e Element) append(out []byte) ([]byte, error) {
	start := len(out)
	out = append(out, 0, 0, 0, 0)
	out = append(out, e.Value...)
	for _, child := range e.Children {
		var err error
		if out, err = child.append(out); err != nil {
			return nil, err
		}
	}
	size := len(out) - start - tlvHeader
	if size > maxUint16 {
		return nil, unacceptable("TLV: %s of %d bytes cannot be written", e.Tag, size)
	}
	binary.LittleEndian.PutUint16(out[start:], uint16(e.Tag))
	binary.LittleEndian.PutUint16(out[start+2:], uint16(size))
	return out, nil
}
