package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"countersign/internal/config"
	"countersign/internal/pdf"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/callback"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/people"
)

// Sandbox is the sandbox platform on a separate listener: for a Countersign elsewhere
// on this machine, or for an app's own tests. An App in development contains one.
type Sandbox struct {
	settings config.Sandbox
	listener *listener
	server   *sandbox.Server
	failed   chan error
}

// OpenSandbox listens at the sandbox's address and begins to serve. It refuses the
// settings of production.
func OpenSandbox(ctx context.Context, o Options) (*Sandbox, error) {
	return openSandbox(ctx, o, nil, openDocuments(o.PDF, o.Logger), make(chan error, 1))
}

// openSandbox is OpenSandbox, with the callbacks of the program that it is a part of, if any,
// by the name of the service.
func openSandbox(ctx context.Context, o Options, callbacks map[string]callback.Receiver, documents *pdf.Workers, failed chan error) (*Sandbox, error) {
	if o.Config.Production() {
		return nil, errors.New("the sandbox does not run with the settings of production: unset COUNTERSIGN_PLATFORM_URL and COUNTERSIGN_IDENTITY_URL")
	}
	settings := o.Config.Sandbox
	l, err := listen(ctx, "COUNTERSIGN_SANDBOX_ADDR", settings.Addr)
	if err != nil {
		return nil, err
	}
	server, err := sandbox.New(sandbox.Options{
		RPID:      settings.RPID,
		RPOrigins: settings.RPOrigins,
		UAFAppID:  settings.UAFAppID,
		UAFFacets: settings.UAFFacets,
		APIKey:    settings.APIKey,
		Metadata:  settings.UAFMetadata,
		Logger:    o.Logger,
		Now:       o.Now,
		PDF:       documents,
		SMTPAddr:  settings.SMTPAddr,
		Hosts:     settings.Hosts,
		ManageKey: settings.ManageKey,
		Seed:      o.Seed,

		Signing: callbacks[signingName], Verification: callbacks[verificationName],
	})
	if err != nil {
		return nil, errors.Join(err, l.close(ctx))
	}
	l.serve(server, 0, o.Logger, failed)
	return &Sandbox{settings: settings, listener: l, server: server, failed: failed}, nil
}

// URL returns the address of the sandbox for this machine, under a name that it answers to.
func (s *Sandbox) URL() string { return fromHere(s.listener.Addr()) }

// fromHere returns the URL of a listener for this machine: where it listens at every address,
// that is the loopback address.
func fromHere(listening net.Addr) string {
	if at, ok := listening.(*net.TCPAddr); ok && at.IP.IsUnspecified() {
		return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(at.Port))
	}
	return "http://" + listening.String()
}

// authorization returns the Authorization that one of the sandbox's services expects.
func (s *Sandbox) authorization(service string) string {
	if service == verificationName {
		return "Bearer " + cmp.Or(s.settings.APIKey, idv.Token)
	}
	if s.settings.APIKey == "" {
		return ""
	}
	return "Basic " + s.settings.APIKey
}

// Failed receives the error of a listener that ended by itself.
func (s *Sandbox) Failed() <-chan error { return s.failed }

// Close takes no new requests and lets those under way finish until ctx ends.
func (s *Sandbox) Close(ctx context.Context) error {
	s.server.Close()
	return s.listener.close(ctx)
}

// Banner writes, for people, the sandbox's address, its demo people and its relying
// party.
func (s *Sandbox) Banner(w io.Writer) {
	fmt.Fprintln(w)
	s.banner(w)
	fmt.Fprintf(w, "  It serves     RP ID %s, origins %s\n\n", s.settings.RPID, strings.Join(s.settings.RPOrigins, " "))
}

func (s *Sandbox) banner(w io.Writer) {
	fmt.Fprintf(w, "  Sandbox       %s   (a stand-in platform, never for production: its data end with it)\n", s.URL())
	fmt.Fprintf(w, "  Inspector     %s/_manage/   (its calls, e-mails and people)\n", s.URL())
	fmt.Fprint(w, "  Demo people   alice bob carol dave(disabled) erin(locked) frank(password expired) @sandbox\n")
	fmt.Fprintf(w, "  Password      %s\n", people.DemoPassword)
}
