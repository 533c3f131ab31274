package main

import (
	"net/http"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// Where nothing is, a signed-in person stays signed in, in their language;
// nobody else is told of them, and a program waits for no session.
func TestNothingHereIsSaidToWhoeverAsks(t *testing.T) {
	c := browser(t, boot(t)).signedIn("alice@sandbox")
	c.send("PATCH", "/session", map[string]any{"language": "fr"}).want(http.StatusNoContent)
	shown := c.page("/nothing/here").want(http.StatusNotFound)
	if !has(shown.body, `lang="fr"`) || !has(shown.body, `value="sign-out"`) {
		t.Errorf("signed in, in French, one reads %s", shown.body)
	}
	if stranger := browser(t, c.app).page("/nothing/here").want(http.StatusNotFound); !has(stranger.body, `lang="en"`) || has(stranger.body, `sign-out`) || has(stranger.body, `href="/login`) {
		t.Errorf("a stranger reads %s", stranger.body)
	}
	c.send("GET", "/nothing/here", nil).refused(http.StatusNotFound, "request.not-found")
}

// The page is there while Redis is not, and says nothing of Redis.
func TestNothingHereIsSaidDuringAnOutage(t *testing.T) {
	redis := miniredis.RunT(t)
	c := browser(t, boot(t, "REDIS_URL=redis://"+redis.Addr())).signedIn("alice@sandbox")
	if shown := c.page("/nothing/here").want(http.StatusNotFound); !has(shown.body, `sign-out`) {
		t.Fatalf("before the outage: %s", shown.body)
	}
	redis.Close()
	shown := c.page("/nothing/here").want(http.StatusNotFound)
	if !has(shown.body, "Not found") || len(shown.header.Values("Set-Cookie")) > 0 {
		t.Errorf("during it: %v %s", shown.header, shown.body)
	}
}
