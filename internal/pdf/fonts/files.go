package fonts

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-fonts/liberation/liberationmonobold"
	"github.com/go-fonts/liberation/liberationmonobolditalic"
	"github.com/go-fonts/liberation/liberationmonoitalic"
	"github.com/go-fonts/liberation/liberationmonoregular"
	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansbolditalic"
	"github.com/go-fonts/liberation/liberationsansitalic"
	"github.com/go-fonts/liberation/liberationsansregular"
	"github.com/go-fonts/liberation/liberationserifbold"
	"github.com/go-fonts/liberation/liberationserifbolditalic"
	"github.com/go-fonts/liberation/liberationserifitalic"
	"github.com/go-fonts/liberation/liberationserifregular"
)

// liberation returns Liberation Sans, Serif and Mono, in the order of styles.
func liberation() (all []family) {
	for _, files := range [][4][]byte{
		{liberationsansregular.TTF, liberationsansbold.TTF, liberationsansitalic.TTF, liberationsansbolditalic.TTF},
		{liberationserifregular.TTF, liberationserifbold.TTF, liberationserifitalic.TTF, liberationserifbolditalic.TTF},
		{liberationmonoregular.TTF, liberationmonobold.TTF, liberationmonoitalic.TTF, liberationmonobolditalic.TTF},
	} {
		var one family
		for i, file := range files {
			one[i] = &font{source: source{file: bytes.NewReader(file), size: int64(len(file))}}
		}
		all = append(all, one)
	}
	return all
}

// maxFiles limits the files of a folder that are taken: PDFium reads the head of each.
const maxFiles = 64

// inFolder returns the fonts of a folder and of those in it, a regular one before a bold
// one. The files stay open.
func inFolder(dir string) (all []*font) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !isFontName(path) {
			return nil //nolint:nilerr // what cannot be read is passed over
		}
		if len(all) == maxFiles {
			return fs.SkipAll
		}
		if f := openFont(path); f != nil {
			all = append(all, f)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b *font) int { return a.order - b.order })
	return all
}

func isFontName(path string) bool {
	return slices.Contains([]string{".ttf", ".otf", ".ttc"}, strings.ToLower(filepath.Ext(path)))
}

// openFont opens a file; nil if it is no font.
func openFont(path string) *font {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close() // nothing was written
		return nil
	}
	s, err := read(file, info.Size())
	if err != nil {
		_ = file.Close() // it was only read
		return nil
	}
	f := &font{source: s}
	if !strings.Contains(strings.ToLower(filepath.Base(path)), "regular") {
		f.order = 1
	}
	return f
}

// folders are the folders down to the one where PDFium looks for fonts.
var folders = []string{".", "usr", "usr/share", "usr/share/fonts"}

// folder is that folder, and those above it; the key of a file is its name.
type folder map[string]source

func (f folder) add(s source) {
	ending := ".ttf"
	if s.collection {
		ending = ".ttc"
	}
	f[strconv.Itoa(len(f))+ending] = s
}

// Open opens a file or a folder.
func (f folder) Open(name string) (fs.File, error) {
	if at := slices.Index(folders, name); at >= 0 {
		return &openFolder{info: info{name: filepath.Base(name), folder: true}, entries: f.entries(at)}, nil
	}
	base, inside := strings.CutPrefix(name, folders[len(folders)-1]+"/")
	s, ok := f[base]
	if !inside || !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &file{SectionReader: io.NewSectionReader(s, 0, s.size), info: info{name: base, size: s.size}}, nil
}

// entries returns what stands in one of folders.
func (f folder) entries(at int) (all []fs.DirEntry) {
	if at+1 < len(folders) {
		return []fs.DirEntry{fs.FileInfoToDirEntry(info{name: filepath.Base(folders[at+1]), folder: true})}
	}
	for name, s := range f {
		all = append(all, fs.FileInfoToDirEntry(info{name: name, size: s.size}))
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// file is an open file.
type file struct {
	*io.SectionReader
	info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }
func (f *file) Size() int64                { return f.size }

// openFolder is an open folder.
type openFolder struct {
	info
	entries []fs.DirEntry
}

func (o *openFolder) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFolder) Close() error               { return nil }
func (o *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.name, Err: fs.ErrInvalid}
}

// ReadDir returns the next n entries, or with n <= 0 all that are left.
func (o *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(o.entries) {
		if n > 0 && len(o.entries) == 0 {
			return nil, io.EOF
		}
		n = len(o.entries)
	}
	next := o.entries[:n]
	o.entries = o.entries[n:]
	return next, nil
}

// info describes a file or a folder.
type info struct {
	name   string
	size   int64
	folder bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return nil }

// Mode says that all may be read and nothing written.
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
