package platform

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// listing is a response to listPackages, or several joined.
type listing struct {
	count   int
	results []listItem
	memory  []byte // of results; nil if they do not lie in one piece
}

// listItem is a package of a listing, byte for byte, with the members that are needed of
// it: decoding it once more would cost as much as decoding the listing.
type listItem struct {
	value jsontext.Value // nil if the listing does not give it
	id    []byte         // nil if it has none
	data  []member       // which may have what is ours
	cause error          // why value is nil
}

// errNoPackage is the error of an element of a listing that is no object.
var errNoPackage = errors.New("the value is not an object")

// readListing decodes {count, results}, once if it is strict JSON. Otherwise, a package
// with a repeated member or a text that is not UTF-8 is rewritten as strict JSON.
func readListing(body []byte) (listing, error) {
	read, err := readResponse(body, strict)
	if err == nil {
		return read, nil
	}
	if read, err = readResponse(utf8Text(body), payload.Tolerant()); err != nil {
		return listing{}, err
	}
	for i := range read.results {
		if one := &read.results[i]; one.value != nil && !one.value.IsValid() {
			if *one, err = tidied(*one); err != nil {
				return listing{}, err
			}
		}
	}
	return read, nil
}

// tidied is a package that every reader takes.
func tidied(one listItem) (listItem, error) {
	value, err := payload.Tidy(one.value)
	if err != nil {
		return listItem{}, err
	}
	return readListed(jsontext.NewDecoder(bytes.NewBuffer(value), strict), value)
}

func readResponse(body []byte, how jsontext.Options) (listing, error) {
	read := listing{count: -1}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), how)
	if d.PeekKind() != '{' {
		return listing{}, errors.New("the value is not an object")
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

func readResults(d *jsontext.Decoder, body []byte) (all []listItem, err error) {
	if d.PeekKind() != '[' {
		return nil, errors.New("its results are not an array")
	}
	for _, err = d.ReadToken(); err == nil && d.PeekKind() != ']'; {
		var one listItem
		if one, err = readListed(d, body); err == nil {
			all = append(all, one)
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return all, err
}

// readListed decodes the next package of a body; an element that is no object has no
// value.
func readListed(d *jsontext.Decoder, body []byte) (listItem, error) {
	if d.PeekKind() != '{' {
		return listItem{cause: errNoPackage}, d.SkipValue()
	}
	_, err := d.ReadToken()
	at := int(d.InputOffset()) - 1
	var l listItem
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

// public returns the package without data.countersign, like Public, in its own place.
func (l listItem) public() (jsontext.Value, error) {
	value := l.value
	for _, m := range slices.Backward(l.data) {
		part, err := stripMember(value[m.at:m.after], "countersign")
		if err != nil {
			return nil, err
		}
		if len(part) < m.after-m.at {
			value = append(append(value[:m.at], part...), value[m.after:]...)
		}
	}
	return value, nil
}
