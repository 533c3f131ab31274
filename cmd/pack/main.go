// Command pack makes the archive of a release: the same files give the same bytes.
//
//	pack -time SECONDS -out FILE.tar.gz|FILE.zip FOLDER FILE…
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	seconds := flag.Int64("time", 0, "the time of all files, in `seconds` since 1970")
	out := flag.String("out", "", "the archive, a `file` that ends in .tar.gz or .zip")
	flag.Parse()
	if err := pack(*out, time.Unix(*seconds, 0).UTC(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// archive is what files are added to.
type archive interface {
	// begin returns what takes the content of the next file.
	begin(name string, mode int64, size int64) (io.Writer, error)
	Close() error
}

// pack writes the archive of the folder and the files that are named.
func pack(out string, at time.Time, named []string) (err error) {
	if len(named) < 2 {
		return errors.New("a folder and files are to be named")
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var to archive
	switch {
	case strings.HasSuffix(out, ".tar.gz"):
		to = newTarball(file, at)
	case strings.HasSuffix(out, ".zip"):
		to = zipball{zip.NewWriter(file), at}
	default:
		return fmt.Errorf("%s ends neither in .tar.gz nor in .zip", out)
	}
	for _, one := range named[1:] {
		if err := add(to, path.Join(named[0], filepath.Base(one)), one); err != nil {
			return err
		}
	}
	return to.Close()
}

// add adds a file. A program that its owner can run, everybody can.
func add(to archive, name, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode().Perm()&0o100 != 0 {
		mode = 0o755
	}
	w, err := to.begin(name, mode, int64(len(content)))
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

type tarball struct {
	tar *tar.Writer
	zip *gzip.Writer
	at  time.Time
}

func newTarball(w io.Writer, at time.Time) tarball {
	compressed := gzip.NewWriter(w)
	return tarball{tar.NewWriter(compressed), compressed, at}
}

func (t tarball) begin(name string, mode, size int64) (io.Writer, error) {
	return t.tar, t.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: t.at, Format: tar.FormatUSTAR})
}

func (t tarball) Close() error { return errors.Join(t.tar.Close(), t.zip.Close()) }

type zipball struct {
	*zip.Writer
	at time.Time
}

func (z zipball) begin(name string, mode, _ int64) (io.Writer, error) {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.at}
	header.SetMode(os.FileMode(mode))
	return z.CreateHeader(header)
}
