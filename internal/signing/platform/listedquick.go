package platform

import "strconv"

// readQuickly is readListing for most responses; false if quick does not know the text.
func readQuickly(body []byte) (listing, bool) {
	r := listingReader{read: listing{count: -1}}
	known := r.quick.read(body, r.response) && r.read.count >= 0
	return r.read, known
}

// listingReader reads a response to listPackages.
type listingReader struct {
	quick
	read listing
	one  listed // the package that is being read
	from int    // where it begins
}

func (r *listingReader) response() bool {
	return r.object(func(name []byte) bool {
		switch string(name) {
		case "results":
			return r.array(r.pkg)
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

func (r *listingReader) pkg() bool {
	if r.space() != '{' { // which a decoder notes as no package
		return false
	}
	r.one, r.from = listed{}, r.at
	if !r.object(r.member) {
		return false
	}
	r.one.value = r.text[r.from:r.at:r.at]
	r.read.results = append(r.read.results, r.one)
	return true
}

// member reads a member of a package.
func (r *listingReader) member(name []byte) bool {
	isID, isData := string(name) == "id", string(name) == "data"
	r.space()
	begin := r.at
	if !r.value() {
		return false
	}
	value := r.text[begin:r.at]
	switch {
	case isID && len(value) > len(`""`) && value[0] == '"':
		r.one.id = nameIn(value)
	case isData:
		r.one.data = []member{{at: begin - r.from, after: r.at - r.from}}
	}
	return true
}
