package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// password returns the password from the file, else from the environment, else that of
// the sandbox's people, but only for a sandbox on this machine.
func (t *terminal) password() (string, error) {
	switch {
	case t.passwordFile == "-":
		return readPassword(t.Stdin)
	case t.passwordFile != "":
		file, err := os.Open(t.passwordFile)
		if err != nil {
			return "", err
		}
		defer file.Close()
		return readPassword(file)
	}
	for _, variable := range t.Environ {
		if value, ours := strings.CutPrefix(variable, passwordVariable+"="); ours && value != "" {
			return value, nil
		}
	}
	if t.app.Loopback() && strings.HasSuffix(t.user, "@sandbox") {
		return t.DemoPassword, nil
	}
	return "", usagef("the password of %s is needed: --password-file FILE, or the variable %s", t.user, passwordVariable)
}

// passwordVariable lacks the settings' prefix, because it is not a setting of the server.
const passwordVariable = "AUTHENTICATOR_PASSWORD"

func readPassword(from io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(from, 1<<10))
	password := strings.TrimRight(string(data), "\r\n")
	if err == nil && password == "" {
		err = usagef("--password-file: the password is empty")
	}
	return password, err
}

// signInWithPassword begins the session of register and remove.
func (t *terminal) signInWithPassword(ctx context.Context) error {
	password, err := t.password()
	if err != nil {
		return err
	}
	t.say("Signing in as %s at %s with the password.", t.user, t.app.Origin())
	out, err := t.app.SignIn(ctx, t.user, password)
	if err == nil && out.SessionStatus != "accepted" {
		err = fmt.Errorf("the sign-in is %s", out.SessionStatus)
	}
	return err
}

// signOut ends the session, whatever the result of the command.
func (t *terminal) signOut(ctx context.Context) {
	if !t.app.SignedIn() {
		return
	}
	if err := t.app.SignOut(context.WithoutCancel(ctx)); err != nil {
		t.say("The session could not be ended: %v", err)
		return
	}
	t.say("Signed out.")
}
