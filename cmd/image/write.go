package main

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// write writes the archive: an OCI layout with the index, named by the version.
func (r release) write(out string, index v1.ImageIndex) (err error) {
	folder, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	to, err := layout.Write(folder, emptyIndex())
	if err != nil {
		return err
	}
	if err := to.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return pack(file, os.DirFS(folder), r.at)
}

// pack writes all files below root in the order of their names: as nobody's but root's, of
// one time, and with the same rights whatever the umask was.
func pack(w io.Writer, root fs.FS, at time.Time) error {
	to := tar.NewWriter(w)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: rights(info.Mode()), ModTime: at, Format: tar.FormatUSTAR}
		if entry.IsDir() {
			return to.WriteHeader(header)
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		header.Typeflag, header.Name, header.Size = tar.TypeReg, name, int64(len(text))
		if err := to.WriteHeader(header); err != nil {
			return err
		}
		_, err = to.Write(text)
		return err
	})
	return errors.Join(err, to.Close())
}

func rights(mode fs.FileMode) int64 {
	switch {
	case mode&fs.ModeSticky != 0:
		return 0o1777
	case mode.IsDir() || mode&0o100 != 0:
		return 0o755
	default:
		return 0o644
	}
}
