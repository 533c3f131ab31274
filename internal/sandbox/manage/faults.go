package manage

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/wire"
)

// Fail has the next calls of an operation answered with that status; with 0 times, all until
// a reset.
func (s *Server) Fail(operation string, status, times int) error {
	_, err := s.addFault(nil, faultInput{Operation: operation, Status: &status, Times: &times})
	return err
}

func (s *Server) addFault(_ *http.Request, in faultInput) (any, error) {
	fault, err := s.fault(in)
	if err != nil {
		return nil, err
	}
	s.Platform.Faults.Add(fault)
	return nil, nil
}

// fault checks the input and prepares the fault.
func (s *Server) fault(in faultInput) (wire.Fault, error) {
	var rules wire.Rules
	form, known := s.Platform.Errors(in.Operation)
	if !known {
		rules.OneOf("operation", &in.Operation, s.Platform.Operations()...)
		form = wire.PlainErrors{}
	}
	fault := wire.Fault{Operation: in.Operation, Times: 1, Headers: in.Headers, Cut: in.Cut}
	wire.Set(&fault.Times, in.Times)
	if fault.Times < 0 {
		rules.Broken("times", "must be a number of calls, or 0 for all until reset")
	}
	if in.Delay != nil {
		var err error
		if fault.Delay, err = time.ParseDuration(*in.Delay); err != nil || fault.Delay <= 0 {
			rules.Broken("delay", `must be a duration above zero such as "2s"`)
		}
	}
	if in.Cut != nil && *in.Cut < 0 {
		rules.Broken("cut", "must be a number of bytes")
	}
	in.checkReply(&rules)
	if in.Release != nil {
		fault.Release = *in.Release
		in.checkRelease(&rules, form.Releases())
	}
	if err := rules.Err(); err != nil {
		return wire.Fault{}, err
	}
	fault.Reply = in.reply(form)
	if fault.Reply == nil && fault.Delay == 0 && len(fault.Headers) == 0 && in.Release == nil && in.Cut == nil {
		return wire.Fault{}, wire.Invalid(wire.Violation{Message: "asks for no fault: give delay, status, headers, body, error, release or cut"})
	}
	return fault, nil
}
