package signing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/wire"
)

// The values of a signer's notification methods.
const (
	byEmail = "EMAIL"
	bySMS   = "SMS"
)

func (s *Server) notifyRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "notifyPackage", Method: post, Path: packagePath + "/notifications", Call: withBody(s.notifyPackage)},
		{Operation: "notifyRole", Method: post, Path: rolePath + "/notifications", Call: s.notifyRole},
		{Operation: "smsRole", Method: post, Path: rolePath + "/sms_notification", Call: s.smsRole},
	}
}

// notify sends the people of a package the messages of an event.
func (s *Server) notify(p *pkg, e event) {
	switch e.name {
	case roleInvited, roleReminded:
		r, err := p.role(e.roleID)
		if err != nil {
			return
		}
		for _, to := range r.Signers {
			s.send(p, e, to, r.ID)
		}
	case packageCompleted:
		for _, r := range p.Roles {
			for _, to := range r.Signers {
				s.send(p, e, to, r.ID)
			}
		}
	case packageDeclined, packageOptedOut, packageExpired:
		s.send(p, e, p.Sender.signer, "")
	}
}

// send sends one person the text of an event, in the package's language, by the methods
// of the event, else by the person's.
func (s *Server) send(p *pkg, e event, to signer, roleID string) {
	text := textsOf(or(p.Language))[e.name]
	link := ""
	if roleID != "" {
		link = p.site + "/sign/" + s.sessions.link(p.ID, party{roleID, to.ID})
	}
	methods := e.methods
	if methods == nil {
		methods = to.NotificationMethods.Primary
	}
	for _, by := range methods {
		if by == bySMS && or(to.Phone) == "" {
			continue
		}
		m := outbox.Message{At: e.at.at, Kind: outbox.Email, To: to.Email, Subject: fmt.Sprintf(text.subject, isolate(p.Name))}
		m.Text = text.to(to, p)
		if by == bySMS {
			m.Kind, m.To, m.Subject = outbox.SMS, or(to.Phone), ""
			m.Text = fmt.Sprintf(text.subject, isolate(p.Name))
		} else {
			m.Text = paragraphs(m.Text, e.message, p.messageTo(e, roleID))
		}
		if link != "" {
			m.Text, m.Links = m.Text+"\n\n"+link, []string{link}
		}
		s.outbox.Send(m)
	}
}

// to returns the body for a signer of the package.
func (t text) to(reader signer, p *pkg) string {
	if t.plain != "" && p.EmailMessage != "" {
		return fmt.Sprintf(t.plain, isolate(reader.Name), isolate(p.Name))
	}
	return fmt.Sprintf(t.body, isolate(reader.Name), isolate(p.Name), isolate(p.Sender.Name))
}

// messageTo returns the sender's message to signers, which is longer for those who are
// being invited.
func (p *pkg) messageTo(e event, roleID string) string {
	switch {
	case roleID == "":
		return ""
	case e.name != roleInvited:
		return p.EmailMessage
	}
	own := ""
	if r, err := p.role(roleID); err == nil && wire.Given(r.EmailMessage) {
		var message struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal(r.EmailMessage, &message); err == nil {
			own = message.Content
		}
	}
	return paragraphs(p.EmailMessage, own)
}

// paragraphs joins the texts that are not empty.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// notifyRole repeats a role's invitation by e-mail.
func (s *Server) notifyRole(r *http.Request) (any, error) {
	return s.remind(r, r.PathValue("role"), byEmail, "")
}

// smsRole sends it by SMS, to those who have a phone.
func (s *Server) smsRole(r *http.Request) (any, error) {
	return s.remind(r, r.PathValue("role"), bySMS, "")
}

// mailInput is a message of the sender's to the signer with an e-mail address.
type mailInput struct {
	Email   string `json:"email"`
	Message string `json:"message"`
}

func (s *Server) notifyPackage(r *http.Request, in mailInput) (any, error) {
	return s.remind(r, in.Email, byEmail, in.Message)
}

// remind records a reminder of a role, or of a signer's role, in a sent package.
func (s *Server) remind(r *http.Request, roleID string, by method, message string) (any, error) {
	return wire.Empty{}, s.store.record(r.PathValue("package"), s.actorOf(r), func(p *pkg) (event, error) {
		one, err := p.role(roleID)
		switch {
		case err != nil:
			return event{}, err
		case p.Status != sent:
			return event{}, invalidState("The package is " + p.Status + ": it cannot be signed.")
		case len(one.Signers) == 0:
			return event{}, refuse(unassignedRole)
		}
		return event{name: roleReminded, roleID: one.ID, methods: []method{by}, message: message}, nil
	})
}
