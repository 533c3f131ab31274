package payload

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Edit puts Text instead of the bytes of a payload from From to To.
type Edit struct {
	From, To int64
	Text     string
}

// Edits are changes of a payload. They do not overlap; of several at one place the first
// comes first.
type Edits []Edit

// Size returns the length of the edited payload, whose own is size, in bytes.
func (e Edits) Size(size int64) int64 {
	for _, one := range e {
		size += int64(len(one.Text)) - (one.To - one.From)
	}
	return size
}

// Apply returns the edited payload: byte for byte the original but for the edits.
func (e Edits) Apply(original io.Reader) io.Reader {
	sorted := slices.SortedStableFunc(slices.Values(e), func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var parts []io.Reader
	var at int64
	for _, one := range sorted {
		parts = append(parts, io.LimitReader(original, one.From-at), strings.NewReader(one.Text), drainReader{io.LimitReader(original, one.To-one.From)})
		at = one.To
	}
	return io.MultiReader(append(parts, original)...)
}

// drainReader consumes the bytes of its reader and yields none.
type drainReader struct{ io.Reader }

func (d drainReader) Read([]byte) (int, error) {
	if _, err := io.Copy(io.Discard, d.Reader); err != nil {
		return 0, err
	}
	return 0, io.EOF
}
