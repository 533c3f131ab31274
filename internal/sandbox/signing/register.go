package signing

import (
	"net/http"

	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/wire"
)

func (s *Server) registerRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getCallback", Method: get, Path: callbackPath, Call: s.getCallback},
		{Operation: "setCallback", Method: post, Path: callbackPath, Call: withBody(s.setCallback)},
		{Operation: "deleteCallback", Method: del, Path: callbackPath, Call: s.deleteCallback},
		{Operation: "getCallback", Method: get, Path: connectorPath, Call: s.getCallback},
		{Operation: "setCallback", Method: post, Path: connectorPath, Call: withBody(s.setCallback)},
		{Operation: "deleteCallback", Method: del, Path: connectorPath, Call: s.deleteCallback},
	}
}

// getCallback answers with the registration of the account, or of one origin of packages.
func (s *Server) getCallback(r *http.Request) (any, error) {
	return s.callbacks.change(r.PathValue("origin"), func(*registration) {}), nil
}

// setCallback replaces a registration.
func (s *Server) setCallback(r *http.Request, in registration) (any, error) {
	var rules wire.Rules
	rules.Address("url", in.URL)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	return s.callbacks.change(r.PathValue("origin"), func(to *registration) { *to = in }), nil
}

// deleteCallback ends the account's callbacks.
func (s *Server) deleteCallback(r *http.Request) (any, error) {
	s.callbacks.change(r.PathValue("origin"), func(to *registration) { *to = registration{} })
	return wire.Empty{}, nil
}

// sendEvents sends a package's events: to the account by callback, to people by e-mail and SMS.
// It is called in the order of events.
func (s *Server) sendEvents(p *pkg, events []event) {
	for _, e := range events {
		if e.name != roleInvited && e.name != roleReminded && e.name != documentViewed {
			s.tell(p, e)
		}
		s.notify(p, e)
	}
}

// tell tells the account of an event, by callback; where that fails, the sender by e-mail.
func (s *Server) tell(p *pkg, e event) {
	s.callbacks.send(noticeOf(p, e), e.by.ip != "" && e.by.party == party{}, func(body []byte) {
		s.outbox.Send(outbox.Message{
			At: e.at.at, Kind: outbox.Email, To: p.Sender.Email, Subject: "Event notification failed: " + e.name,
			Text: "This could not be delivered, and is not sent again:\n\n" + string(body),
		})
	})
}
