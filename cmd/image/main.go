// Command image makes the container image of a release without a daemon: an OCI archive with
// an image for each architecture. The same files give the same bytes.
//
//	image authorities                 print the certificate authorities that the image trusts
//	image archive … ARCHITECTURE=FOLDER…  write the archive of root file systems
package main

import (
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "authorities":
		return authorities(stdout)
	case len(args) > 0 && args[0] == "archive":
		return archive(args[1:])
	}
	return errors.New("say authorities or archive")
}

// authorities writes Mozilla's list in PEM, so that an image does not depend on the machine
// that makes it. It leaves out those that are trusted in part, which PEM cannot say.
func authorities(w io.Writer) error {
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	return nil
}

// release is what the images of a release share.
type release struct {
	version, revision string
	at                time.Time
}

func archive(args []string) error {
	flags := flag.NewFlagSet("archive", flag.ContinueOnError)
	version := flags.String("version", "", "the release")
	revision := flags.String("revision", "", "the commit")
	seconds := flags.Int64("time", 0, "the time of everything, in `seconds` since 1970")
	out := flags.String("out", "", "the `file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *out == "" || *version == "" {
		return errors.New("a file, a version and root file systems are to be named")
	}
	r := release{*version, *revision, time.Unix(*seconds, 0).UTC()}
	index := emptyIndex()
	for _, named := range flags.Args() {
		architecture, root, both := strings.Cut(named, "=")
		if !both {
			return fmt.Errorf("%s: expected architecture=folder", named)
		}
		var err error
		if index, err = r.add(index, architecture, root); err != nil {
			return err
		}
	}
	return r.write(*out, index)
}
