package platform

import (
	"strconv"

	"countersign/internal/signing"
)

// readQuickly is readListing for most responses; false if quick does not know the text.
func readQuickly(body []byte) (listing, bool) {
	r := listingReader{read: listing{count: -1}}
	known := r.quick.read(body, r.response) && r.read.count >= 0
	return r.read, known
}

// listingReader reads a response to listPackages.
type listingReader struct {
	finder
	read listing
	one  listed // the package that is being read
	from int    // where it begins
}

func (r *listingReader) response() bool {
	return r.object(func(name []byte) bool {
		switch string(name) {
		case "results":
			return r.array(r.listed)
		case "count":
			return r.count()
		}
		return r.value()
	})
}

func (r *listingReader) count() bool {
	r.space()
	begin := r.at
	if !r.value() {
		return false
	}
	n, err := strconv.Atoi(string(r.text[begin:r.at]))
	r.read.count = n
	return err == nil
}

// listed reads a package of the listing.
func (r *listingReader) listed() bool {
	if r.space() != '{' { // which a decoder notes as no package
		return false
	}
	r.one, r.from, r.sought = listed{}, r.at, sought{}
	if !r.object(r.member) {
		return false
	}
	r.one.value = r.text[r.from:r.at:r.at]
	if r.found.to > 0 {
		r.one.ours = ours{r.found.from - r.from, r.found.to - r.from}
	}
	if r.read.results == nil { // about as many follow as have room
		r.read.results = make([]listed, 0, min(signing.MaxPage, 1+len(r.text)/len(r.one.value)))
	}
	r.read.results = append(r.read.results, r.one)
	return true
}

// member reads a member of a package.
func (r *listingReader) member(name []byte) bool {
	switch string(name) {
	case "data":
		return r.data()
	case "id":
		return r.id()
	}
	return r.value()
}

// id reads the value of id.
func (r *listingReader) id() bool {
	r.space()
	begin := r.at
	if !r.value() {
		return false
	}
	if value := r.text[begin:r.at]; len(value) > len(`""`) && value[0] == '"' {
		r.one.id = nameIn(value)
	}
	return true
}
