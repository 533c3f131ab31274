package signing

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// listing is a response to listPackages.
type listing struct {
	count   int
	results []listed
}

// listed is a package of a listing, byte for byte, and what is read of it: reading it
// once more would cost as much as reading the listing.
type listed struct {
	value jsontext.Value
	id    []byte // nil for none
	data  []member
}

// readListing reads {count, results}, once.
func readListing(body []byte) (listing, error) {
	read := listing{count: -1}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), lenient)
	if d.PeekKind() != '{' {
		return listing{}, errors.New("it is no object")
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name, value member
		if name, err = next(d); err != nil {
			break
		}
		switch string(nameIn(body[name.at:name.after])) {
		case "results":
			read.results, err = readResults(d, body)
		case "count":
			if value, err = next(d); err == nil {
				read.count, err = strconv.Atoi(string(body[value.at:value.after]))
			}
		default:
			err = d.SkipValue()
		}
	}
	if err == nil {
		err = ends(d)
	}
	if err == nil && read.count < 0 {
		err = errors.New("it lacks count")
	}
	return read, err
}

func readResults(d *jsontext.Decoder, body []byte) (all []listed, err error) {
	if d.PeekKind() != '[' {
		return nil, errors.New("its results are no array")
	}
	for _, err = d.ReadToken(); err == nil && d.PeekKind() != ']'; {
		var one listed
		if one, err = readListed(d, body); err == nil {
			all = append(all, one)
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return all, err
}

// readListed reads the next package of a body.
func readListed(d *jsontext.Decoder, body []byte) (listed, error) {
	if d.PeekKind() != '{' {
		return listed{}, errors.New("a package is no object")
	}
	_, err := d.ReadToken()
	at := int(d.InputOffset()) - 1
	var l listed
	for err == nil && d.PeekKind() == '"' {
		var name, value member
		if name, err = next(d); err != nil {
			break
		}
		if value, err = next(d); err != nil {
			break
		}
		text := jsontext.Value(body[value.at:value.after])
		switch string(nameIn(body[name.at:name.after])) {
		case "id":
			if text.Kind() == '"' && len(text) > len(`""`) {
				l.id = nameIn(text)
			}
		case "data":
			l.data = append(l.data, member{at: value.at - at, after: value.after - at})
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	after := int(d.InputOffset())
	l.value = body[at:after:after]
	return l, err
}

// public is the package without data.countersign, as Public makes it.
func (l listed) public() (jsontext.Value, error) {
	if !slices.ContainsFunc(l.data, func(m member) bool { return mentions(l.value[m.at:m.after], "countersign") }) {
		return l.value, nil
	}
	return replace(l.value, l.data, func(data jsontext.Value) (jsontext.Value, error) { return without(data, "countersign") })
}
