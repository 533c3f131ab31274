// Package cli implements countersign authenticator. It relies on Countersign's public contract
// alone.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"countersign/internal/authenticator/appclient"
)

const help = `A software authenticator with its app: it registers and signs in over HTTP, as a phone does.

  countersign authenticator register   make a key and register it
  countersign authenticator sign-in    sign in with a key, without a password
  countersign authenticator confirm    sign in with a UAF key and confirm a transaction
  countersign authenticator list       list the keys that are kept here
  countersign authenticator remove     remove a registration, and its key here
  countersign authenticator metadata   print the metadata statements of the UAF models
  countersign authenticator answer     answer a request from a file, without any HTTP
  countersign authenticator proof      print a DPoP proof for your own request

Without flags the user is alice@sandbox at http://localhost:8080, the sandbox's default.
With --dpop the sessions are bound to a key (sender-constrained tokens).
Each command prints its flags with -h. docs/integrate/api-clients.md has examples.
`

// Options are the environment of a run.
type Options struct {
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	DemoPassword   string // of the people of a sandbox on this machine
	Now            func() time.Time
}

// terminal is one run: an app and its phone.
type terminal struct {
	url, user, protocol, store, origin string
	passwordFile, key, text, in, out   string
	algorithm, keyFormat, attestation  string
	method, path, token, nonce         string // of a proof
	verbose, forget, bound             bool
	online                             bool // the command has an app
	Options
	app  *appclient.Client
	keys *keyFile
}

// command is one of the commands that help lists.
type command struct {
	summary string
	flags   func(*terminal, *flag.FlagSet)
	do      func(*terminal, context.Context) error
}

var commands = map[string]command{
	"register": {"make a key and register it", flags((*terminal).appFlags, (*terminal).passwordFlag, (*terminal).newKeyFlags), (*terminal).register},
	"sign-in":  {"sign in with a key, without a password", flags((*terminal).appFlags, (*terminal).keyFlag), (*terminal).signIn},
	"confirm":  {"sign in with a UAF key and confirm a transaction", flags((*terminal).appFlags, (*terminal).keyFlag, (*terminal).textFlag), (*terminal).confirm},
	"list":     {"list the keys that are kept here", flags((*terminal).storeFlag), (*terminal).list},
	"remove":   {"remove a registration, and its key here", flags((*terminal).appFlags, (*terminal).passwordFlag, (*terminal).keyFlag, (*terminal).forgetFlag), (*terminal).remove},
	"metadata": {"print the metadata statements of the UAF models", flags((*terminal).storeFlag), (*terminal).metadata},
	"proof":    {"print a proof of the app's key for one request", flags((*terminal).appFlags, (*terminal).proofFlags), (*terminal).proof},
	"answer":   {"answer a request from a file, without any HTTP", flags((*terminal).appFlags, (*terminal).fileFlags, (*terminal).newKeyFlags, (*terminal).keyFlag), (*terminal).answer},
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// errReported is a usageError that has been printed already.
var errReported = usageError{errors.New("usage")}

// Run runs the command that args names and returns the exit status: 0 for success, 1 for
// a refusal or failure, 2 for a mistake in the command line.
func Run(ctx context.Context, args []string, o Options) int {
	name := "help"
	if len(args) > 1 && (args[0] == "--dpop" || args[0] == "-dpop") { // before the command, too
		args = append([]string{args[1], args[0]}, args[2:]...)
	}
	if len(args) > 0 {
		name = args[0]
	}
	if name == "help" && len(args) > 1 {
		name, args = args[1], []string{args[1], "-h"}
	}
	if name == "help" || name == "-h" || name == "--help" {
		fmt.Fprint(o.Stdout, help)
		return 0
	}
	chosen, known := commands[name]
	if !known {
		fmt.Fprintf(o.Stderr, "countersign authenticator: unknown command %q\n\n%s", name, help)
		return 2
	}
	t := &terminal{Options: o}
	err := t.parse(name, chosen, args[1:])
	if err == nil {
		err = t.open()
	}
	if err == nil {
		err = chosen.do(t, ctx)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(o.Stderr, "countersign authenticator: %v\n", err)
	}
	if _, usage := errors.AsType[usageError](err); usage {
		return 2
	}
	return 1
}

func (t *terminal) parse(name string, chosen command, args []string) error {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(t.Stderr)
	set.Usage = func() {} // printed below
	chosen.flags(t, set)
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		set.SetOutput(t.Stdout)
	case err != nil: // told by the flag set
		err = errReported
	case set.NArg() > 0:
		fmt.Fprintf(t.Stderr, "unknown arguments %q\n", set.Args())
		err = errReported
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
	if user, domain, _ := strings.Cut(t.user, "@"); user == "" || domain == "" || strings.Contains(domain, "@") {
		return usagef("--user: %q must be userID@domain, such as alice@sandbox", t.user)
	}
	options := appclient.Options{URL: t.url, Now: t.Now}
	if t.verbose {
		options.Trace = t.trace
	}
	if t.bound {
		if options.Key, err = t.keys.proofKey(); err != nil {
			return err
		}
	}
	if t.app, err = appclient.New(options); err != nil {
		return usageError{err}
	}
	if t.origin == "" {
		t.origin = t.app.Origin()
	}
	return nil
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// say prints a step.
func (t *terminal) say(format string, args ...any) { fmt.Fprintf(t.Stdout, format+"\n", args...) }
