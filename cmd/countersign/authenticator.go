package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"countersign/internal/authenticator/appclient"
	"countersign/internal/identity"
)

const authenticatorHelp = `A software authenticator and the app around it: it registers and signs in as a phone would, over HTTP.

  countersign authenticator register   make a key and register it
  countersign authenticator sign-in    sign in with a key, without a password
  countersign authenticator confirm    sign in with a UAF key and confirm a transaction
  countersign authenticator list       list the keys that are kept here
  countersign authenticator remove     remove a registration, and its key here
  countersign authenticator metadata   print the metadata statements of the UAF models
  countersign authenticator answer     answer a request from a file, without any HTTP

Without flags it is alice@sandbox at http://localhost:8080, where countersign runs without any setting.
Each command tells its flags with -h; docs/mobile.md shows them at work.
`

// terminal is one run of countersign authenticator: an app and its phone.
type terminal struct {
	url, user, protocol, store, origin string
	passwordFile, key, text, in, out   string
	algorithm, keyFormat, attestation  string
	verbose, forget                    bool
	online                             bool // the command has an app
	environ                            []string
	stdin                              io.Reader
	stdout                             io.Writer
	now                                func() time.Time
	app                                *appclient.Client
	keys                               *keyFile
}

// deed is a command of countersign authenticator.
type deed struct {
	summary string
	flags   func(*terminal, *flag.FlagSet)
	do      func(*terminal, context.Context) error
}

var deeds = map[string]deed{
	"register": {"make a key and register it", flags((*terminal).appFlags, (*terminal).passwordFlag, (*terminal).newKeyFlags), (*terminal).register},
	"sign-in":  {"sign in with a key, without a password", flags((*terminal).appFlags, (*terminal).keyFlag), (*terminal).signIn},
	"confirm":  {"sign in with a UAF key and confirm a transaction", flags((*terminal).appFlags, (*terminal).keyFlag, (*terminal).textFlag), (*terminal).confirm},
	"list":     {"list the keys that are kept here", flags((*terminal).storeFlag), (*terminal).list},
	"remove":   {"remove a registration, and its key here", flags((*terminal).appFlags, (*terminal).passwordFlag, (*terminal).keyFlag, (*terminal).forgetFlag), (*terminal).remove},
	"metadata": {"print the metadata statements of the UAF models", flags((*terminal).storeFlag), (*terminal).metadata},
	"answer":   {"answer a request from a file, without any HTTP", flags((*terminal).appFlags, (*terminal).fileFlags, (*terminal).newKeyFlags, (*terminal).keyFlag), (*terminal).answer},
}

// wrongly is an error of whoever asked.
type wrongly struct{ error }

// errUsage is one that was told already.
var errUsage = wrongly{errors.New("usage")}

// softAuthenticator is countersign authenticator: 0 when it is done, 1 when it
// was refused or failed, 2 when it was asked wrongly.
func softAuthenticator(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	name := "help"
	if len(args) > 0 {
		name = args[0]
	}
	if name == "help" && len(args) > 1 {
		name, args = args[1], []string{args[1], "-h"}
	}
	if name == "help" || name == "-h" || name == "--help" {
		fmt.Fprint(stdout, authenticatorHelp)
		return 0
	}
	chosen, known := deeds[name]
	if !known {
		fmt.Fprintf(stderr, "countersign authenticator: there is no %q\n\n%s", name, authenticatorHelp)
		return 2
	}
	t := &terminal{environ: environ, stdin: os.Stdin, stdout: stdout, now: time.Now}
	err := t.parse(name, chosen, args[1:], stderr)
	if err == nil {
		err = t.open()
	}
	if err == nil {
		err = chosen.do(t, ctx)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if !errors.Is(err, errUsage) {
		fmt.Fprintf(stderr, "countersign authenticator: %v\n", err)
	}
	if _, asked := errors.AsType[wrongly](err); asked {
		return 2
	}
	return 1
}

func (t *terminal) parse(name string, chosen deed, args []string, stderr io.Writer) error {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() {} // told below, where it belongs
	chosen.flags(t, set)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(t.stdout)
	case err != nil: // told by the flag set
		err = errUsage
	case set.NArg() > 0:
		fmt.Fprintf(stderr, "unknown arguments %q\n", set.Args())
		err = errUsage
	default:
		return nil
	}
	fmt.Fprintf(set.Output(), "countersign authenticator %s: %s\n", name, chosen.summary)
	set.PrintDefaults()
	return err
}

// open makes the app and reads the keys.
func (t *terminal) open() (err error) {
	if t.keys, err = openKeyFile(t.store); err != nil || !t.online {
		return err
	}
	if !identity.ValidUser(t.user) {
		return wronglyf("--user: %q is no userID@domain, such as alice@sandbox", t.user)
	}
	options := appclient.Options{URL: t.url}
	if t.verbose {
		options.Trace = t.trace
	}
	if t.app, err = appclient.New(options); err != nil {
		return wrongly{err}
	}
	if t.origin == "" {
		t.origin = t.app.Origin()
	}
	return nil
}

func wronglyf(format string, args ...any) error { return wrongly{fmt.Errorf(format, args...)} }

// say tells a step.
func (t *terminal) say(format string, args ...any) { fmt.Fprintf(t.stdout, format+"\n", args...) }
