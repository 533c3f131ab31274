package uaf

import "encoding/binary"

// element is a TLV element within the input: value is the part that its length covers,
// whole includes tag and length, and nothing is copied.
type element struct {
	tag   Tag
	value []byte
	whole []byte
}

// nextElement parses the first element of data and returns the rest. Tag and length are
// 16 bits each, little-endian.
func nextElement(data []byte) (element, []byte, error) {
	if len(data) < tlvHeader {
		return element{}, nil, unacceptable("TLV: %d bytes are left where an element belongs", len(data))
	}
	tag := Tag(binary.LittleEndian.Uint16(data))
	end := tlvHeader + int(binary.LittleEndian.Uint16(data[2:]))
	if end > len(data) {
		return element{}, nil, unacceptable("TLV: %s is longer than what holds it", tag)
	}
	return element{tag: tag, value: data[tlvHeader:end:end], whole: data[:end:end]}, data[end:], nil
}

// onlyElement parses data as a single element of the given tag, to the last byte.
func onlyElement(data []byte, tag Tag) (element, error) {
	e, rest, err := nextElement(data)
	switch {
	case err != nil:
		return element{}, err
	case e.tag != tag:
		return element{}, unacceptable("TLV: %s where %s belongs", e.tag, tag)
	case len(rest) > 0:
		return element{}, unacceptable("TLV: %d bytes follow %s", len(rest), tag)
	}
	return e, nil
}

// slot is a place for one kind of element inside a composite: its size and its
// destination. A nil destination after parsing means that it was absent.
type slot struct {
	tag         Tag
	least, most int
	optional    bool
	to          *element
	// list replaces to for elements that repeat, at most cap(*list) of them, so that a
	// hostile input cannot make it grow.
	list *[][]byte
}

// parseComposite fills slots from the content of a composite, with the elements in any
// order. Extensions, and elements whose tag has no critical bit, may occur anywhere and
// are ignored. Any other element without a slot, a second element for one slot, a wrong
// size and a missing element are refused.
func parseComposite(parent Tag, content []byte, slots []slot) error {
	for len(content) > 0 {
		e, rest, err := nextElement(content)
		if err != nil {
			return err
		}
		if err := place(parent, e, slots); err != nil {
			return err
		}
		content = rest
	}
	for _, s := range slots {
		if !s.optional && s.empty() {
			return unacceptable("TLV: %s has no %s", parent, s.tag)
		}
	}
	return nil
}

func (s slot) empty() bool {
	if s.list != nil {
		return len(*s.list) == 0
	}
	return s.to.whole == nil
}

func place(parent Tag, e element, slots []slot) error {
	for _, s := range slots {
		if s.tag == e.tag {
			return s.fill(parent, e)
		}
	}
	switch {
	case e.tag == TagCriticalExtension:
		return unacceptable("TLV: %s holds an unknown critical extension", parent)
	case e.tag == TagExtension && parent != TagExtension:
		return parseExtension(e)
	case e.tag&criticalBit == 0: // every tag known here has the bit
		return nil
	}
	return unacceptable("TLV: %s does not belong in %s", e.tag, parent)
}

func (s slot) fill(parent Tag, e element) error {
	if size := len(e.value); size < s.least || size > s.most {
		return unacceptable("TLV: %s of %d bytes where %d to %d belong", e.tag, size, s.least, s.most)
	}
	if s.list == nil {
		if s.to.whole != nil {
			return unacceptable("TLV: %s twice in %s", e.tag, parent)
		}
		*s.to = e
		return nil
	}
	if len(*s.list) == cap(*s.list) {
		return unacceptable("TLV: more than %d times %s in %s", cap(*s.list), e.tag, parent)
	}
	*s.list = append(*s.list, e.value)
	return nil
}

// parseExtension checks the form of an extension that may be ignored. This package knows
// no extensions.
func parseExtension(e element) error {
	var id, data element
	return parseComposite(TagExtension, e.value, []slot{
		{tag: TagExtensionID, least: 1, most: maxUint16, to: &id},
		{tag: TagExtensionData, most: maxUint16, to: &data},
	})
}
