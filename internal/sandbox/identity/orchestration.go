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

// obey carries a command out. Whatever an account has against it, because there
// is none, it may not act or it has no such device, is one refusal for each
// command: a stranger learns nothing of accounts.
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
func (s *Server) activate(said command) (reply command, err error) {
	if said.DeviceType != "android" && said.DeviceType != "ios" {
		return command{}, orchestrationError(authenticatorNotSupported)
	}
	err = s.asDevice(said.UserID, noRegistrationCode, func(a *account) error {
		made, err := a.activation.activate(said.ActivationPassword, s.now())
		reply = command{Command: "activated", UserID: a.ID, SerialNumber: made.serial}
		return err
	})
	return reply, err
}

func (s *Server) registerNotification(said command) (reply command, err error) {
	err = s.asDevice(said.UserID, noNotificationElement, func(a *account) error {
		known := a.activation.device(said.SerialNumber)
		if known == nil {
			return orchestrationError(noNotificationElement)
		}
		known.notificationID = said.NotificationID
		reply = command{Command: "notificationRegistered", UserID: a.ID, SerialNumber: said.SerialNumber}
		return nil
	})
	return reply, err
}

// decideOnDevice answers a push as decide does, from a device of its person. A
// push that is not theirs, or not pending any more, is no valid request id.
func (s *Server) decideOnDevice(said command) (reply command, err error) {
	err = s.asDevice(said.UserID, invalidRequestID, func(a *account) error {
		reply = command{Command: "decided", UserID: a.ID, RequestID: said.RequestID, Decision: said.Decision}
		if a.activation.device(said.SerialNumber) == nil {
			return orchestrationError(invalidRequestID)
		}
		return nil
	})
	if err == nil {
		err = s.decideFor(reply.UserID, said.RequestID, said.Decision == "accept")
	}
	return reply, err
}

func (s *Server) decideFor(user, requestID string, accept bool) error {
	theirs := false
	s.pushes.with(requestID, s.now(), func(one *push) { theirs = one.user == user })
	if !theirs {
		return orchestrationError(invalidRequestID)
	}
	if err := s.decide(requestID, accept); err != nil {
		return orchestrationError(invalidRequestID).Because(err)
	}
	return nil
}

// asDevice lets act change the account of a person who may act. What it changed
// stays, also when it refuses: a refused activation may count as one. Whoever
// does not exist or may not act is refused with that message.
func (s *Server) asDevice(user, message string, act func(*account) error) error {
	var refusal error
	err := s.accounts.change(user, func(a *account) error {
		if err := a.mayAct(); err != nil {
			return err
		}
		refusal = act(a)
		return nil
	})
	if err != nil {
		return orchestrationError(message).Because(err)
	}
	return refusal
}
