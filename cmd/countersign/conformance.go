package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"strings"
	"time"

	"countersign/internal/apidoc"
	"countersign/internal/app"
	"countersign/internal/config"
	"countersign/internal/conformance"
)

// conformanceUsage is the usage text that precedes the list of flags.
const conformanceUsage = `countersign conformance tries the platform of the settings with test users: whether it keeps
the contract, which assumptions about it hold, and which settings follow. It registers and
removes authenticators, makes and deletes packages, starts verifications and has them erased.

The exit status is 0 where all is well, 1 where something differs, 2 for wrong settings.

  countersign conformance [flags]

With --openapi it also judges every exchange by OpenAPI documents of the platform, as an account at
the vendor's portal has them. --record keeps the exchanges without secrets and texts of people, and
--replay judges such a recording again, without a platform.

  countersign conformance --openapi identity.json --openapi signing.yaml --record recording
  countersign conformance --openapi identity.json --replay recording

In production --user, --other, --unknown and --password-file are required; embedded, the sandbox's
people take the place of whoever is not named. The password comes from a file or from standard
input, for others can see the arguments of a process.

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
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	flags.StringVar(&o.with.User, "user", "", "an active account, `userID@domain`, without authenticators")
	flags.StringVar(&o.with.Other, "other", "", "another one, `userID@domain`")
	flags.StringVar(&o.passwordFile, "password-file", "", "the `file` with the static password of all these accounts; - is standard input")
	flags.StringVar(&o.with.Unknown, "unknown", "", "an account, `userID@domain`, that the platform does not have")
	flags.StringVar(&o.with.Disabled, "disabled", "", "an account, `userID@domain`, that is disabled")
	flags.StringVar(&o.with.Locked, "locked", "", "an account, `userID@domain`, that is locked")
	flags.StringVar(&o.with.Expired, "expired", "", "an account, `userID@domain`, whose password has expired")
	flags.StringVar(&o.with.Ended, "ended", "", "an account, `userID@domain`, whose time is over")
	flags.StringVar(&o.with.Origin, "origin", "", "an `origin` that the platform takes FIDO2 responses from; COUNTERSIGN_PUBLIC_ORIGIN if unset")
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
		return nil, errors.New("--record: needs --openapi, which tells what is no text of people")
	case o.replay != "":
		return nil, errors.New("--replay: needs --openapi")
	}
	return nil, nil
}

// conformance runs the command "conformance".
func (c command) conformance(ctx context.Context, args []string) int {
	var options conformanceOptions
	flags := options.flags()
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(c.stdout, conformanceUsage)
		flags.SetOutput(c.stdout)
		flags.PrintDefaults()
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unknown arguments %q", flags.Args())
	case err == nil:
		options.with.Password, err = c.password(options.passwordFile)
	}
	var documents *apidoc.Documents
	if err == nil {
		documents, err = options.documents()
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "countersign conformance: %v\n\nSee countersign conformance --help.\n", err)
		return 2
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
		Config: cfg, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Version: version(), PDF: c.pdfWorkers(cfg.PDFCacheDir), Exchange: exchange,
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
	return func(e apidoc.Exchange) { r.exchanges.Add(e); recorder.Record(e) }, recorder.Close, nil
}

// conformanceReport collects the results, and prints them unless it is quiet.
type conformanceReport struct {
	settings []config.Setting
	paths    config.Paths
	out      io.Writer
	quiet    bool

	exchanges           *apidoc.Report // nil without documents
	results             []conformance.Result
	ok, differ, leftOut int
	api                 string
}

func (r *conformanceReport) add(result conformance.Result) {
	r.results = append(r.results, result)
	word := "ok"
	switch {
	case len(result.Findings) > 0:
		r.differ++
		word = "differs"
	case result.LeftOut != "":
		r.leftOut++
		word = "left out"
	default:
		r.ok++
	}
	if !r.quiet {
		r.print(word, result)
	}
}

func (r *conformanceReport) print(word string, result conformance.Result) {
	if r.api != result.API {
		r.api = result.API
		fmt.Fprintf(r.out, "\n%s\n", result.API)
	}
	about := result.Case
	if result.Fact != "" {
		about += " (" + result.Fact + ")"
	}
	if result.LeftOut != "" {
		about += ": " + result.LeftOut
	}
	fmt.Fprintf(r.out, "  %-8s  %s\n", word, about)
	for _, finding := range result.Findings {
		fmt.Fprintf(r.out, "            - %s\n", strings.ReplaceAll(finding, "\n", " "))
	}
}

// needed is a setting that the results call for, next to its present value.
type needed struct {
	conformance.Setting
	// Set reports whether the setting already has the needed value; Now is its present
	// value.
	Set bool   `json:"set"`
	Now string `json:"now"`
}

func (r *conformanceReport) needed() []needed {
	var all []needed
	for _, s := range r.neededSettings() {
		one := needed{Setting: s}
		one.Name = config.Prefix + s.Name
		for _, set := range r.settings {
			if set.Name == one.Name {
				one.Now, one.Set = set.Value, set.Value == s.Value
			}
		}
		all = append(all, one)
	}
	return all
}

// neededSettings returns the settings that the results call for. All found paths go into one
// document of paths, together with the paths that are set already.
func (r *conformanceReport) neededSettings() []conformance.Setting {
	var all []conformance.Setting
	paths, why := maps.Clone(r.paths), ""
	for _, result := range r.results {
		for _, s := range result.Settings {
			if s.Name != conformance.PathsSetting {
				all = append(all, s)
				continue
			}
			if paths == nil {
				paths = config.Paths{}
			}
			operation, path, _ := strings.Cut(s.Value, ": ")
			paths[operation], why = path, s.Why
		}
	}
	if why != "" {
		all = append(all, conformance.Setting{Name: conformance.PathsSetting, Value: paths.String(), Why: why})
	}
	return all
}

// end prints what is left to print, and returns the exit status.
func (r *conformanceReport) end() int {
	judged, findings := 0, []apidoc.Finding(nil)
	if r.exchanges != nil {
		judged, findings = r.exchanges.Findings()
	}
	var err error
	if r.quiet {
		encoder := json.NewEncoder(r.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(r.object(judged, findings))
	} else {
		r.finish(judged, findings)
	}
	if err != nil || r.differ > 0 || len(findings) > 0 {
		return 1
	}
	return 0
}

// finish prints what differs from the documents, the needed settings and the number of cases.
func (r *conformanceReport) finish(judged int, findings []apidoc.Finding) {
	if r.exchanges != nil {
		fmt.Fprint(r.out, "\nexchanges that differ from the documents\n")
		for _, f := range findings {
			example, _ := json.Marshal(f.Example)
			fmt.Fprintf(r.out, "  %s: %s: %s (%d times)\n            - for example %s\n", f.Operation, f.Side, f.Reason, f.Times, example)
		}
		fmt.Fprintf(r.out, "\nExchanges: %d. Kinds of differences: %d.\n", judged, len(findings))
	}
	if len(r.results) == 0 {
		return
	}
	fmt.Fprint(r.out, "\nsettings that follow\n")
	for _, s := range r.needed() {
		state := "as it is"
		if !s.Set {
			state = fmt.Sprintf("now %q", s.Now)
		}
		fmt.Fprintf(r.out, "  %s=%s  (%s: %s)\n", s.Name, s.Value, state, s.Why)
	}
	fmt.Fprintf(r.out, "\nCases: %d. As expected: %d. They differ: %d. Left out: %d.\n", len(r.results), r.ok, r.differ, r.leftOut)
}

// object returns the report that --json prints.
func (r *conformanceReport) object(judged int, findings []apidoc.Finding) any {
	return struct {
		Version   string               `json:"version"`
		Results   []conformance.Result `json:"results"`
		Settings  []needed             `json:"settings"`
		Exchanges int                  `json:"exchanges,omitzero"`
		Findings  []apidoc.Finding     `json:"findings,omitzero"`
		OK        int                  `json:"ok"`
		Differ    int                  `json:"differ"`
		LeftOut   int                  `json:"leftOut"`
	}{version(), r.results, r.needed(), judged, findings, r.ok, r.differ, r.leftOut}
}
