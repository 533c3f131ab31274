package signing_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// A callback with a token of the account's own is taken, also while Redis does not answer: what
// it told of is on the list when Redis is back.
func TestCallbacks_ByTokenWithoutRedis(t *testing.T) {
	t.Parallel()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key := jose.JSONWebKey{Key: private, KeyID: "one", Algorithm: string(jose.ES256), Use: "sig"}
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}})
	}))
	t.Cleanup(keys.Close)
	server := redistest.Start(t)
	app := e2etest.BootPatiently(t, "REDIS_URL="+server.URL(), "SIGNING_CALLBACK_ISSUER=https://issuer.example/", "SIGNING_CALLBACK_AUDIENCE=countersign", "SIGNING_CALLBACK_JWKS_URL="+keys.URL)
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	listsInTheEnd(bob, "an empty list")
	created := func() string {
		return e2etest.AtPlatform(t, app, "POST", "/api/packages", sentTo("bob@sandbox.example")).Text("id")
	}
	send := func(id, audience string, status int) {
		t.Helper()
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
		if err != nil {
			t.Fatal(err)
		}
		token, err := jwt.Signed(signer).Claims(jwt.Claims{
			Issuer: "https://issuer.example/", Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(time.Now().Add(time.Hour)),
		}).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		e2etest.Program(t, app).Send("POST", "/callbacks/signing", `{"name":"PACKAGE_CREATE","packageId":"`+id+`"}`, "Authorization", "Bearer "+token).Want(status)
	}
	first := created()
	send(first, "another", http.StatusUnauthorized)
	send(first, "countersign", http.StatusNoContent)
	listsInTheEnd(bob, "the first package", first)
	server.Stall()
	second := created()
	send(second, "countersign", http.StatusNoContent)
	server.Resume()
	listsInTheEnd(bob, "the package of a callback during an outage", second, first)
}
