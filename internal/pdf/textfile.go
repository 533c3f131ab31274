package pdf

import (
	"bytes"
	"io"
	"maps"

	ledongthuc "github.com/ledongthuc/pdf"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// shownKey names, in the trailer of the file that text is read from, the contents
// and the resources of each page.
const shownKey = "Shown"

// openReader opens the file's text: every object anew, so that none is encrypted,
// packed or missing in a broken table, and without the streams that show no text.
// A panic is an error.
func (o *opened) openReader() (reader *ledongthuc.Reader, err error) {
	defer func() {
		if recover() != nil {
			err = &Refusal{Reason: reasonDamaged}
		}
	}()
	file, err := o.written(types.Dict{"Root": *o.ctx.Root, shownKey: o.shown()}, func(file *bytes.Buffer, number int, object types.Object) error {
		if stream, ok := streamOf(object); ok {
			return writeObject(file, number, textStream(stream, o.maySayText(stream)))
		}
		return writeObject(file, number, object)
	})
	if err != nil {
		return nil, err
	}
	return ledongthuc.NewReader(bytes.NewReader(file), int64(len(file)))
}

// shown is the contents and the resources of each page.
func (o *opened) shown() types.Array {
	var shown types.Array
	for _, page := range o.pages {
		content, resources := page.dict["Contents"], page.resources
		if content == nil {
			content = types.Array{}
		}
		if resources == nil {
			resources = types.Dict{}
		}
		shown = append(shown, types.Array{content, resources})
	}
	return shown
}

// maySayText reports whether a stream is neither an image nor a font.
func (o *opened) maySayText(stream types.StreamDict) bool {
	switch o.name(stream.Dict["Subtype"]) {
	case "Image", "Type1C", "CIDFontType0C", "OpenType":
		return false
	}
	_, isFont := stream.Find("Length1")
	return !isFont
}

// textStream is a stream as its reader understands it: deflated or plain, and
// empty where it is not wanted or cannot be decoded.
func textStream(stream types.StreamDict, wanted bool) types.StreamDict {
	const most = 64 << 20
	_, parameters := stream.Find("DecodeParms")
	switch {
	case !wanted:
		return types.StreamDict{Raw: []byte{}}
	case len(stream.FilterPipeline) == 0 && stream.Raw != nil:
		return stream
	case len(stream.FilterPipeline) == 1 && stream.FilterPipeline[0].Name == "FlateDecode" && !parameters:
		stream.Update("Filter", types.Name("FlateDecode"))
		return stream
	case stream.DecodeWithLimit(most) != nil:
		return types.StreamDict{Raw: []byte{}}
	}
	plain := maps.Clone(stream.Dict)
	delete(plain, "Filter")
	delete(plain, "DecodeParms")
	return types.StreamDict{Dict: plain, Raw: stream.Content}
}

// streamOf is an object that is a stream.
func streamOf(object types.Object) (types.StreamDict, bool) {
	if pointer, ok := object.(*types.StreamDict); ok {
		return *pointer, true
	}
	stream, ok := object.(types.StreamDict)
	return stream, ok
}

// maxContent is how much of a page's content is read.
const maxContent = 64 << 20

// contentOf is what the streams hold, white space between them, as far as it can
// be read.
func contentOf(content ledongthuc.Value) []byte {
	if content.Kind() != ledongthuc.Array {
		return streamContent(content)
	}
	var all []byte
	for i := range content.Len() {
		all = append(append(all, streamContent(content.Index(i))...), '\n')
	}
	return all
}

func streamContent(stream ledongthuc.Value) (content []byte) {
	defer func() { _ = recover() }() // The library panics on what it cannot read.
	content, _ = io.ReadAll(io.LimitReader(stream.Reader(), maxContent))
	return content // What comes before a broken end counts.
}
