package identity

import (
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// orchestrationInput is the payload of orchestration-commands, and of its
// answer (identity facts, 5.3). The platform's commands are a secret between it
// and its SDK; the sandbox's are JSON, and in hex like theirs.
type orchestrationInput struct {
	Command *string `json:"command"`
}

// command is what a device says. Command names it; which other members belong
// to it, and must be there, is in commands.
type command struct {
	Command            string `json:"command"`
	UserID             string `json:"userID"` // userID@domain
	ActivationPassword string `json:"activationPassword,omitzero"`
	DeviceType         string `json:"deviceType,omitzero"` // android or ios
	SerialNumber       string `json:"serialNumber,omitzero"`
	NotificationID     string `json:"notificationID,omitzero"`
	RequestID          string `json:"requestID,omitzero"`
	Decision           string `json:"decision,omitzero"` // accept or refuse
}

func (s *Server) orchestrate(r *http.Request) (any, error) {
	var in orchestrationInput
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	var rules rules
	rules.Required("command", in.Command)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	said, err := parseCommand(*in.Command)
	if err != nil {
		return nil, orchestrationError(unparsableCommand).Because(err)
	}
	reply, err := s.obey(said)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return nil, err
	}
	answer := hex.EncodeToString(text)
	return orchestrationInput{Command: &answer}, nil
}

// parseCommand is strict, so that an app finds its mistakes.
func parseCommand(text string) (command, error) {
	plain, err := hex.DecodeString(text)
	if err != nil {
		return command{}, err
	}
	var said command
	if err := json.Unmarshal(plain, &said, json.RejectUnknownMembers(true)); err != nil {
		return command{}, err
	}
	switch {
	case said.Command == "activate" && said.UserID != "" && wellFormed(said.ActivationPassword) && said.DeviceType != "":
	case said.Command == "registerNotification" && said.UserID != "" && said.SerialNumber != "" && said.NotificationID != "":
	case said.Command == "decide" && said.UserID != "" && said.SerialNumber != "" && said.RequestID != "" &&
		(said.Decision == "accept" || said.Decision == "refuse"):
	default:
		return command{}, errors.New("no command of that name with these members")
	}
	return said, nil
}

func (s *Server) obey(said command) (command, error) {
	switch said.Command {
	case "activate":
		return s.activate(said)
	case "registerNotification":
		return s.registerNotification(said)
	default:
		return s.decideOnDevice(said)
	}
}

// activate is the whole of online activation in one step.
func (s *Server) activate(said command) (command, error) {
	if said.DeviceType != "android" && said.DeviceType != "ios" {
		return command{}, orchestrationError(authenticatorNotSupported)
	}
	var made device
	err := s.asDevice(said.UserID, noRegistrationCode, func(p *account) (err error) {
		made, err = p.activation.activate(said.ActivationPassword, s.now())
		return err
	})
	if err != nil {
		return command{}, err
	}
	return command{Command: "activated", UserID: said.UserID, SerialNumber: made.serial}, nil
}

func (s *Server) registerNotification(said command) (command, error) {
	err := s.asDevice(said.UserID, noNotificationElement, func(p *account) error {
		known := p.activation.device(said.SerialNumber)
		if known == nil {
			return orchestrationError(noNotificationElement)
		}
		known.notificationID = said.NotificationID
		return nil
	})
	if err != nil {
		return command{}, err
	}
	return command{Command: "notificationRegistered", UserID: said.UserID, SerialNumber: said.SerialNumber}, nil
}

// asDevice lets act change a person who may act. What it changed stays, also
// when it refuses: a refused activation may count as one. A person that there is
// not is refused with the message absent.
func (s *Server) asDevice(user, absent string, act func(*account) error) error {
	var refusal error
	err := s.accounts.change(user, func(p *account) error {
		if refusal = p.mayAct(); refusal == nil {
			refusal = act(p)
		}
		return nil
	})
	if err != nil {
		return orchestrationError(absent).Because(err)
	}
	return refusal
}

// decideOnDevice answers a push as Decide does, from a device of its person. A
// push that is not theirs, or not pending any more, is no valid request id.
func (s *Server) decideOnDevice(said command) (command, error) {
	p, err := s.accounts.find(said.UserID)
	if err != nil {
		return command{}, err
	}
	if err := p.mayAct(); err != nil {
		return command{}, err
	}
	if p.activation.device(said.SerialNumber) == nil {
		return command{}, orchestrationError(authenticationFailed)
	}
	theirs := false
	s.pushes.with(said.RequestID, s.now(), func(one *push) { theirs = one.user == p.ID })
	if !theirs {
		return command{}, orchestrationError(invalidRequestID)
	}
	if err := s.decide(said.RequestID, said.Decision == "accept"); err != nil {
		return command{}, orchestrationError(invalidRequestID).Because(err)
	}
	return command{Command: "decided", UserID: said.UserID, RequestID: said.RequestID, Decision: said.Decision}, nil
}
