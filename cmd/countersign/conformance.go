package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"countersign/internal/apidoc"
	"countersign/internal/app"
	"countersign/internal/config"
)

// conformanceUsage is the usage text that precedes the list of flags.
const conformanceUsage = `countersign conformance compares the platform of the settings with the specification and with
what is assumed of it, and prints the settings that follow. It uses test users: it registers and
removes authenticators, creates and deletes packages, starts identity checks and has them erased.

Exit status: 0 if nothing differs, 1 if something differs, 2 for wrong settings.

  countersign conformance [flags]

--openapi also validates every exchange against OpenAPI documents of the platform. --record keeps
the exchanges without secrets and users' texts. --replay validates a recording without a platform.

  countersign conformance --openapi identity.json --openapi signing.yaml --record recording
  countersign conformance --openapi identity.json --replay recording

In production --user, --other, --unknown and --password-file are required. With the sandbox, its
users are the default. The password is no argument, because other users can see arguments.

`

// conformanceOptions are the flags of the command.
type conformanceOptions struct {
	with         config.Conformance
	passwordFile string
	asJSON       bool
	openapi      []string
	record       string
	replay       string
}

func (o *conformanceOptions) flags() *flag.FlagSet {
	flags := newFlags("conformance")
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	flags.StringVar(&o.with.User, "user", "", "an active account, `userID@domain`, without authenticators")
	flags.StringVar(&o.with.Other, "other", "", "another one, `userID@domain`")
	flags.StringVar(&o.passwordFile, "password-file", "", "the `file` with the static password of all these accounts; - is standard input")
	flags.StringVar(&o.with.Unknown, "unknown", "", "an account, `userID@domain`, that the platform does not have")
	flags.StringVar(&o.with.Disabled, "disabled", "", "an account, `userID@domain`, that is disabled")
	flags.StringVar(&o.with.Locked, "locked", "", "an account, `userID@domain`, that is locked")
	flags.StringVar(&o.with.Expired, "expired", "", "an account, `userID@domain`, whose password has expired")
	flags.StringVar(&o.with.Ended, "ended", "", "an account, `userID@domain`, that has expired")
	flags.StringVar(&o.with.Origin, "origin", "", "an `origin` that the platform accepts FIDO2 responses from; COUNTERSIGN_PUBLIC_ORIGIN if unset")
	flags.StringVar(&o.with.Facet, "facet", "", "a `facet` that the platform trusts in UAF responses; without one UAF is left out")
	flags.StringVar(&o.with.Signer, "signer", "", "an e-mail `address` that may be invited to sign; without one signing is left out")
	flags.BoolVar(&o.with.Fill, "fill", false, "make up to 100 packages, to see how many one page lists; embedded always")
	flags.Func("openapi", "judge the exchanges by this OpenAPI 3.0 `file`, JSON or YAML; may be given several times", func(file string) error {
		o.openapi = append(o.openapi, file)
		return nil
	})
	flags.StringVar(&o.record, "record", "", "keep the exchanges in this empty `folder`, without secrets and texts of people; needs --openapi")
	flags.StringVar(&o.replay, "replay", "", "judge the recording in this `folder` and ask no platform; needs --openapi")
	return flags
}

// documents reads the OpenAPI documents, nil without any.
func (o *conformanceOptions) documents() (*apidoc.Documents, error) {
	switch {
	case len(o.openapi) > 0:
		documents, err := apidoc.Read(o.openapi...)
		if err != nil {
			return nil, fmt.Errorf("--openapi: %w", err)
		}
		documents.Know(app.KnownPaths()...)
		return documents, nil
	case o.record != "":
		return nil, errors.New("--record: needs --openapi to recognise users' texts")
	case o.replay != "":
		return nil, errors.New("--replay: needs --openapi")
	}
	return nil, nil
}

// conformance runs the command "conformance".
func (c command) conformance(ctx context.Context, args []string) int {
	var options conformanceOptions
	flags := options.flags()
	err := parseAll(flags, args)
	if err == nil {
		options.with.Password, err = c.password(options.passwordFile)
	}
	var documents *apidoc.Documents
	if err == nil {
		documents, err = options.documents()
	}
	if err != nil {
		return c.misused(flags, conformanceUsage, err)
	}
	if options.replay != "" {
		return c.replay(documents, options)
	}
	return c.tryPlatform(ctx, documents, options)
}

// replay judges a recording.
func (c command) replay(documents *apidoc.Documents, options conformanceOptions) int {
	report := conformanceReport{out: c.stdout, quiet: options.asJSON, exchanges: documents.NewReport()}
	if err := apidoc.Replay(options.replay, report.exchanges.Add); err != nil {
		return c.fail(fmt.Errorf("--replay: %w", err))
	}
	return report.end()
}

// password returns the file's text without its final line break, or "" if file is "". Its
// error contains neither the text nor the file's path.
func (c command) password(file string) (string, error) {
	var text []byte
	var err error
	switch file {
	case "":
		return "", nil
	case "-":
		text, err = io.ReadAll(c.stdin)
	default:
		text, err = os.ReadFile(file)
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	if err != nil {
		return "", fmt.Errorf("--password-file: cannot be read: %w", err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" {
		return "", errors.New("--password-file: is empty")
	}
	return password, nil
}

func (c command) tryPlatform(ctx context.Context, documents *apidoc.Documents, options conformanceOptions) int {
	cfg, err := app.Settings(c.environ, os.ReadFile)
	with, wrong := cfg.CheckConformance(options.with)
	if wrong = errors.Join(config.ForConformance(err), wrong); wrong != nil {
		fmt.Fprintf(c.stderr, "countersign: the settings cannot be used:\n%v\n", wrong)
		return 2
	}
	report := conformanceReport{settings: cfg.Redacted(), paths: cfg.Paths, out: c.stdout, quiet: options.asJSON}
	exchange, recorded, err := report.judgedBy(documents, options.record)
	if err != nil {
		return c.fail(err)
	}
	err = app.Conformance(ctx, app.Options{
		Config: cfg, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Version: version(), PDF: c.pdfWorkers(cfg), Exchange: exchange,
	}, with, report.add)
	if err = errors.Join(err, recorded()); err != nil {
		return c.fail(err)
	}
	return report.end()
}

// judgedBy returns what takes exchanges, nil without documents, and what ends a recording.
func (r *conformanceReport) judgedBy(documents *apidoc.Documents, folder string) (exchange func(apidoc.Exchange), recorded func() error, err error) {
	recorded = func() error { return nil }
	if documents == nil {
		return nil, recorded, nil
	}
	r.exchanges = documents.NewReport()
	if folder == "" {
		return r.exchanges.Add, recorded, nil
	}
	recorder, err := documents.NewRecorder(folder)
	if err != nil {
		return nil, recorded, fmt.Errorf("--record: %w", err)
	}
	return func(e apidoc.Exchange) { r.exchanges.Add(e); recorder.Record(e) }, recorder.Err, nil
}
