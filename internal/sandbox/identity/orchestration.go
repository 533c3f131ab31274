package identity

import (
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// orchestrationInput is the payload of orchestration-commands, and of its answer
// (docs/platform.md I13). The platform's commands are secret between it and its SDK; the
// sandbox's are JSON, also in hex.
type orchestrationInput struct {
	Command *string `json:"command"`
}

// command is a device's message. Its name decides which other members are required.
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

func (s *Server) orchestrate(_ *http.Request, in orchestrationInput) (any, error) {
	var rules wire.Rules
	rules.Required("command", in.Command)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	cmd, err := parseCommand(*in.Command)
	if err != nil {
		return nil, orchestrationError(unparsableCommand).Because(err)
	}
	reply, err := s.execute(cmd)
	if err != nil {
		return nil, err
	}
	answer := hexCommand(reply)
	return orchestrationInput{Command: &answer}, nil
}

// hexCommand returns a command as it travels.
func hexCommand(c command) string {
	text, _ := json.Marshal(c) // Texts can be written.
	return hex.EncodeToString(text)
}

// parseCommand parses a command strictly, so that the author of an app finds mistakes.
func parseCommand(text string) (command, error) {
	plain, err := hex.DecodeString(text)
	if err != nil {
		return command{}, err
	}
	var cmd command
	if err := json.Unmarshal(plain, &cmd, json.RejectUnknownMembers(true)); err != nil {
		return command{}, err
	}
	switch {
	case cmd.Command == "activate" && cmd.UserID != "" && wellFormed(cmd.ActivationPassword) && cmd.DeviceType != "":
	case cmd.Command == "registerNotification" && cmd.UserID != "" && cmd.SerialNumber != "" && cmd.NotificationID != "":
	case cmd.Command == "decide" && cmd.UserID != "" && cmd.SerialNumber != "" && cmd.RequestID != "" &&
		(cmd.Decision == "accept" || cmd.Decision == "refuse"):
	default:
		return command{}, errors.New("no command of that name with these members")
	}
	return cmd, nil
}

// execute carries a command out. Each command has the same refusal for an account that
// does not exist, may not act or has no such device, so that a command reveals nothing
// about accounts.
func (s *Server) execute(cmd command) (command, error) {
	switch cmd.Command {
	case "activate":
		return s.activate(cmd)
	case "registerNotification":
		return s.registerNotification(cmd)
	default:
		return s.decideOnDevice(cmd)
	}
}

// activate carries out the whole online activation in one step.
func (s *Server) activate(cmd command) (reply command, err error) {
	if cmd.DeviceType != "android" && cmd.DeviceType != "ios" {
		return command{}, orchestrationError(authenticatorNotSupported)
	}
	err = s.asDevice(cmd.UserID, noRegistrationCode, func(a *account) error {
		made, err := a.activation.activate(cmd.ActivationPassword, s.now())
		reply = command{Command: "activated", UserID: a.ID, SerialNumber: made.serial}
		return err
	})
	return reply, err
}

func (s *Server) registerNotification(cmd command) (reply command, err error) {
	err = s.asDevice(cmd.UserID, noNotificationElement, func(a *account) error {
		known := a.activation.device(cmd.SerialNumber)
		if known == nil {
			return orchestrationError(noNotificationElement)
		}
		known.notificationID = cmd.NotificationID
		reply = command{Command: "notificationRegistered", UserID: a.ID, SerialNumber: cmd.SerialNumber}
		return nil
	})
	return reply, err
}

// decideOnDevice answers a push from its person's device.
func (s *Server) decideOnDevice(cmd command) (reply command, err error) {
	err = s.asDevice(cmd.UserID, invalidRequestID, func(a *account) error {
		reply = command{Command: "decided", UserID: a.ID, RequestID: cmd.RequestID, Decision: cmd.Decision}
		if a.activation.device(cmd.SerialNumber) == nil {
			return orchestrationError(invalidRequestID)
		}
		return nil
	})
	if err == nil && s.decide(reply.UserID, cmd.RequestID, cmd.Decision == "accept") != nil {
		err = orchestrationError(invalidRequestID)
	}
	return reply, err
}

// asDevice lets act change the account of a person who can act. The changes stay even if
// act refuses, because a refused activation may count. A person who does not exist or may
// not act is refused with that message.
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
