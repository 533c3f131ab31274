package conformance

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

// unlocking tries what operators do for people on an account for which nothing is to be done,
// and on one that does not exist.
func unlocking(t *T, c contract) {
	ctx := t.Context()
	wantKey(t, "unlock an account that is not locked", c.client.Unlock(ctx, c.User), fault.AccountNotLocked)
	if err := c.client.Enable(ctx, c.User); err != nil {
		t.Errorf("enable an account that is enabled: %v", err)
	}
	if user, err := c.client.User(ctx, c.User); err != nil || user.State() != platform.Active {
		t.Errorf("after that the account is %s: %v", user.State(), err)
	}
	wantKey(t, "unlock an unknown account", c.client.Unlock(ctx, c.Unknown), fault.AccountUnknown)
	wantKey(t, "enable an unknown account", c.client.Enable(ctx, c.Unknown), fault.AccountUnknown)
}

// staysLocked tries whether a locked account unlocks by itself: when somebody looks at it, or
// gives the right password.
func staysLocked(t *T, c contract) {
	for _, after := range []string{"at first", "after a look at it", "after a sign-in with the right password"} {
		user, err := c.client.User(t.Context(), c.Locked)
		if err != nil {
			t.Fatal(err)
		}
		if !user.Locked {
			t.Errorf("%s is not locked %s", c.Locked, after)
		}
		if after == "after a look at it" {
			wantKey(t, "a sign-in to it", failure(c.client.Login(t.Context(), c.Locked, byPassword(c.Password))), fault.SignInRefused)
		}
	}
}

// finding looks for the account by a part of its name, and by what it is called as a whole.
func finding(t *T, c contract) {
	name, domain, _ := strings.Cut(c.User, "@")
	user, err := c.client.User(t.Context(), c.User)
	if err != nil {
		t.Fatal(err)
	}
	part := name[:(len(name)+1)/2]
	searches := map[string]platform.Search{
		"the beginning of its name":    {UserID: part},
		"the end of its name":          {UserID: name[len(name)/2:]},
		"its name with an asterisk":    {UserID: part + "*" + name[len(name)-1:]},
		"its name in capitals":         {UserID: strings.ToUpper(part)},
		"a part of its name, domain":   {UserID: part + "@" + domain},
		"its whole display name":       {UserID: part, DisplayName: user.DisplayName},
		"its whole e-mail address":     {UserID: part, EmailAddress: user.EmailAddress},
		"its name, and nothing beside": {UserID: name + "@" + domain},
	}
	for what, search := range searches {
		if !c.finds(t, what, search) {
			t.Errorf("queryUsers: by %s, %+v, %s is not found", what, search, c.User)
		}
	}
	if beyond := "no-such-person-"; c.finds(t, "an unknown name", platform.Search{UserID: beyond + name}) {
		t.Errorf("queryUsers: %s is found by an unknown name", c.User)
	}
}

// finds reports whether the account is on any page of the search.
func (c contract) finds(t *T, what string, search platform.Search) bool {
	const pages = 50
	search.Limit = platform.MostFound
	for range pages {
		found, err := c.client.FindUsers(t.Context(), search)
		if err != nil {
			t.Errorf("queryUsers: by %s: %v", what, err)
			return false
		}
		if slices.ContainsFunc(found.Users, func(one platform.FoundUser) bool { return strings.EqualFold(one.ID, c.User) }) {
			return true
		}
		if search.Offset += search.Limit; search.Offset >= found.Total {
			return false
		}
	}
	return false
}

// activationProgress asks how the activation of the account stands, of which nothing is to be
// expected, and of one that does not exist. The answer comes at once.
func activationProgress(t *T, c contract) {
	soon, cancel := context.WithTimeout(t.Context(), waitsNot)
	defer cancel()
	if status, err := c.client.ActivationStatus(soon, c.User); err != nil {
		t.Errorf("checkActivationStatus, where it was not asked to wait: %v", err)
	} else if status == platform.ActivationTimeout {
		t.Errorf("checkActivationStatus: timeout, where it was not asked to wait")
	}
	status, err := c.client.ActivationStatus(t.Context(), c.Unknown)
	if !fault.Is(err, fault.AccountUnknown) && (err != nil || status != platform.ActivationUnknown) {
		t.Errorf("checkActivationStatus of an unknown account: %q, %v", status, err)
	}
}

// waitsNot is longer than an answer takes that waits for nothing.
const waitsNot = 5 * time.Second
