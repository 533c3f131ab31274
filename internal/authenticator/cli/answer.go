package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/authenticator/appclient"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// list prints the stored keys.
func (t *terminal) list(context.Context) error {
	table := tabwriter.NewWriter(t.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tPROTOCOL\tUSER\tAT\tALGORITHM\tSIGNED\tMADE")
	for _, k := range t.keys.Keys {
		algorithm, signed := "", uint32(0)
		switch {
		case k.UAF != nil:
			algorithm, signed = k.UAF.Algorithm, k.UAF.SignCounter
		case k.FIDO2 != nil:
			algorithm, signed = string(k.FIDO2.Algorithm), k.FIDO2.SignCount
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", k.id(), k.Protocol, k.User, k.URL, algorithm, signed, k.CreatedAt.Format(time.DateTime))
	}
	return table.Flush()
}

// metadata prints the metadata of the UAF models: of the demo's, which the sandbox
// already knows, and of the one with full attestation.
func (t *terminal) metadata(context.Context) error {
	root, err := t.keys.root(t.Now())
	if err != nil {
		return err
	}
	document, err := softuaf.Metadata(softuaf.DemoModel(nil), softuaf.DemoModel(root))
	if err != nil {
		return err
	}
	value := jsontext.Value(document)
	if err := value.Indent(); err != nil {
		return err
	}
	t.say("%s", value)
	return nil
}

// answer runs the authenticator without the app: it reads the answer of a generate call
// from a file and writes the body of the call that follows, for people who make the calls
// themselves.
func (t *terminal) answer(context.Context) error {
	text, err := t.input()
	if err != nil {
		return err
	}
	var asked struct {
		RegistrationRequest   string `json:"registrationRequest"`
		AuthenticationRequest string `json:"authenticationRequest"`
		Title                 string `json:"title"` // of a problem, as is the next
		Key                   string `json:"key"`
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	var body map[string]any
	switch {
	case asked.RegistrationRequest != "":
		body, err = t.answerRegistration(asked.RegistrationRequest)
	case asked.AuthenticationRequest != "":
		body, err = t.answerAuthentication(asked.AuthenticationRequest)
	case asked.Key != "":
		err = fmt.Errorf("read an error instead of a request: %s (%s)", asked.Title, asked.Key)
	default:
		err = errors.New("there is neither a registrationRequest nor an authenticationRequest in what was read")
	}
	if err != nil {
		return err
	}
	return t.output(body)
}

func (t *terminal) answerRegistration(request string) (map[string]any, error) {
	protocol := protocolOf(request)
	made, err := t.newDevice(protocol)
	if err != nil {
		return nil, err
	}
	response, err := made.register(request)
	if err != nil {
		return nil, err
	}
	_, err = t.storeKey(made)
	return appclient.RegistrationBody(protocol, response), err
}

func (t *terminal) answerAuthentication(request string) (map[string]any, error) {
	candidates, err := t.candidates()
	if err != nil {
		return nil, err
	}
	out := t.Stdout
	t.Stdout = io.Discard // the body may go there
	k, response, err := t.signWith(candidates, request)
	t.Stdout = out
	if err != nil {
		return nil, err
	}
	if k.Protocol == appclient.UAF11 {
		parsed, err := uaf.ReadRequest(uaf.OperationAuthentication, request)
		if err != nil {
			return nil, err
		}
		if len(parsed.Transactions) > 0 {
			return appclient.TransactionBody(k.Protocol, response), nil
		}
	}
	return appclient.LoginBody(k.Protocol, response), nil
}

func (t *terminal) input() ([]byte, error) {
	if t.in == "-" {
		return io.ReadAll(t.Stdin)
	}
	return os.ReadFile(t.in)
}

func (t *terminal) output(body map[string]any) error {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return err
	}
	if t.out == "-" {
		t.say("%s", text)
		return nil
	}
	return os.WriteFile(t.out, append(text, '\n'), 0o600)
}
