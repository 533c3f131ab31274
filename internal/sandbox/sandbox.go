// Package sandbox is the platform's stand-in for development, demonstrations and tests.
//
// It combines the services (sandbox/identity, sandbox/signing, sandbox/idv) and the
// management interface (sandbox/manage) with the guards around them. It opens no socket,
// keeps everything in memory, and shares no code with Countersign, so that neither
// repeats a mistake of the other.
package sandbox

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/callback"
	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/manage"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/seed"
	"countersign/internal/sandbox/signing"
	"countersign/internal/sandbox/wire"
)

// Options configure the platform.
type Options struct {
	// RPID is the FIDO2 relying party's id, a host name such as localhost.
	RPID string
	// RPOrigins are all origins that a FIDO2 response may carry, with
	// android:apk-key-hash:… among them.
	RPOrigins []string
	// UAFAppID is the appID of UAF, a URL of up to 512 characters, and UAFFacets
	// are the facets that may use it. Without both, UAF is not served.
	UAFAppID  string
	UAFFacets []string
	// Metadata is a JSON array of FIDO metadata statements: UAF authenticators that are
	// trusted in addition to the sandbox's own; may be empty.
	Metadata []byte
	// APIKey, if not empty, is required of every platform call as "Authorization: Basic
	// <APIKey>", the key unencoded; identity verification requires it as "Bearer
	// <APIKey>" instead of idv.Token. It is the secret of the OAuth client instead of
	// signing.ClientSecret.
	APIKey string
	// Hosts are further host names, in lower case, under which the sandbox answers: each with
	// a port, or for any.
	Hosts []string
	// ManageKey is the key with which other machines may use /_manage/; "" keeps them out.
	ManageKey string
	// Seed is what the platform holds at its beginning and after a reset, as seed.Parse
	// returns it; nil is the demo world.
	Seed *seed.World
	// SMTPAddr is a mail server, host:port, that also receives the e-mails of the outbox,
	// or "".
	SMTPAddr string
	// Signing and Verification are the callbacks of the program that serves the platform: they
	// are told of what people and the platform itself do, besides the addresses that the account
	// registers and also after a reset. The zero value is none.
	Signing, Verification callback.Receiver
	// PDF reads PDF documents, and is closed with the platform; with nil they are accepted
	// unread.
	PDF *pdf.Workers
	// Logger takes the sandbox's log; nil discards it.
	Logger *slog.Logger
	// Now is the real time, from which the platform's clock starts; required.
	Now func() time.Time
}

// Server is the platform. It is safe for concurrent use.
type Server struct {
	platform   *wire.Platform
	signing    *signing.Server
	idv        *idv.Server
	messages   *outbox.Outbox
	mailer     *outbox.Mailer // may be nil
	management http.Handler
	guard      *guard
	log        *slog.Logger
}

// New returns the platform. It fails for an RPID that is not a host name, without an
// origin and without a clock, for an appID without facets, for facets without an appID
// and for unreadable metadata.
func New(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		return nil, errors.New("sandbox: Options.Now is required")
	}
	if o.Seed == nil {
		demo := seed.Demo()
		o.Seed = &demo
	}
	clock, directory := wire.NewClock(o.Now), people.New(o.Seed.People)
	identityService, err := identity.New(identity.Options{
		People: directory, RPID: o.RPID, RPOrigins: o.RPOrigins,
		UAFAppID: o.UAFAppID, UAFFacets: o.UAFFacets, Metadata: o.Metadata, Now: clock.Now, Seed: o.Seed.Authenticators,
	})
	if err != nil {
		return nil, err
	}
	messages := &outbox.Outbox{}
	var mailer *outbox.Mailer
	if o.SMTPAddr != "" {
		if mailer, err = outbox.NewMailer(o.SMTPAddr, signing.SenderEmail, o.Logger); err != nil {
			return nil, err
		}
		messages.Deliver = mailer.Deliver
	}
	signingService := newSigning(o, clock, messages)
	idvService := idv.New(idv.Options{Token: o.APIKey, Now: clock.Now, Log: o.Logger, Home: o.RPOrigins[0], Host: o.Verification, Seed: o.Seed.Verifications})
	services := []wire.Service{identityService, signingService, idvService}
	platform := wire.NewPlatform(wire.Options{
		Clock: clock, APIKey: o.APIKey, Log: o.Logger, Canonical: people.Canonical,
	}, services...)
	steering := &manage.Server{
		Platform: platform, Clock: clock, People: directory, Outbox: messages,
		Advanced: func() { signingService.Advanced(); idvService.Advanced() },
	}
	tenant := account{identity: identityService, signing: signingService, idv: idvService}
	management := append(steering.Routes(), tenant.route())
	for _, service := range services {
		management = append(management, service.Management()...)
	}
	guard := newGuard(o)
	management = slices.Concat(management, guard.routes(), inspect{account: tenant, manage: steering}.routes())
	return &Server{guard: guard, platform: platform, signing: signingService, idv: idvService, messages: messages, mailer: mailer, management: wire.Management(management, o.Logger), log: o.Logger}, nil
}

// newSigning returns the signing platform.
func newSigning(o Options, clock *wire.Clock, messages *outbox.Outbox) *signing.Server {
	options := signing.Options{Now: clock.Now, Outbox: messages, Log: o.Logger, PDF: o.PDF, APIKey: o.APIKey, Host: o.Signing}
	options.Seed = signing.Seed{CustomFields: o.Seed.CustomFields, Packages: o.Seed.Packages}
	if len(o.RPOrigins) > 0 {
		options.Home = o.RPOrigins[0]
	}
	return signing.New(options)
}

// Mail puts an e-mail of Countersign's own into the outbox.
func (s *Server) Mail(at time.Time, to, subject, text string) {
	s.messages.Send(outbox.Message{At: at, Kind: outbox.Email, To: to, Subject: subject, Text: text})
}

// Close ends delays, callbacks and the delivery of e-mails. The handler still answers.
func (s *Server) Close() {
	s.platform.Close()
	s.signing.Close()
	s.idv.Close()
	if s.mailer != nil {
		s.mailer.Close()
	}
}
