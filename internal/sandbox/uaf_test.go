package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/identity"
	"countersign/internal/uaf"
)

var uafAlgorithms = []uaf.SignatureAlgorithm{
	uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER, uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER,
	uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER, uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPKCS1DER,
}

// Every algorithm and both attestations register, sign in and confirm a
// transaction, with nothing but a metadata file.
func TestUAFRegisterAndSignIn(t *testing.T) {
	for _, algorithm := range uafAlgorithms {
		for _, attestation := range []uaf.Tag{uaf.TagAttestationFull, uaf.TagAttestationSurrogate} {
			t.Run(fmt.Sprintf("%d %s", algorithm, attestation), func(t *testing.T) {
				device := phone(t, func(o *softuaf.Options) {
					o.Algorithm, o.Attestation = algorithm, attestation
					if attestation == uaf.TagAttestationSurrogate { // and the key in its other format
						o.KeyFormat = softuaf.DefaultKeyFormat(algorithm) + 1
					}
				})
				p := start(t, withUAF(t, statement(t, device, nil)))
				p.registerUAF("alice@sandbox", device)
				for range 2 {
					a := p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, ""))
					if a.status != http.StatusOK || a.text != `{"sessionStatus":"accepted","uafStatusCode":1200}` {
						t.Fatalf("sign-in: %d %s", a.status, a.text)
					}
				}
				p.confirm("alice@sandbox", p.sign("alice@sandbox", device, "Pay 5 EUR")).uaf(t, http.StatusOK, uaf.StatusOK)
			})
		}
	}
}

// The built-in model needs no metadata file, and stays trusted with one.
func TestUAFDemoAuthenticator(t *testing.T) {
	other := phone(t)
	for name, metadata := range map[string]func(*sandbox.Options){
		"alone": withUAF(t), "beside a file": withUAF(t, statement(t, other, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, algorithm := range uafAlgorithms[:2] {
				device := demoPhone(t)
				device.Options.Algorithm, device.Options.AttestationAlgorithm = algorithm, algorithm
				p := start(t, metadata)
				p.registerUAF("alice@sandbox", device)
				p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
			}
		})
	}
	// A statement in the file replaces the built-in one.
	device := demoPhone(t)
	p := start(t, withUAF(t, statement(t, device, func(m map[string]any) { m["authenticatorVersion"] = 7 })))
	p.finishUAF("alice@sandbox", p.enrol("alice@sandbox", device)).refusedUAF(t, uaf.StatusUnacceptableAuthenticator)
}

func TestUAFRegistrationRequestShape(t *testing.T) {
	device := phone(t)
	p := start(t, withUAF(t, statement(t, device, nil)))
	a := p.post("/users/alice@sandbox/generate-fido-registration-request", object{"fidoProtocol": "UAF11"})
	if len(a.body) != 2 || a.body["uafStatusCode"] != float64(1200) {
		t.Errorf("%d %s", a.status, a.text)
	}
	request, err := uaf.ParseRegistrationRequest(a.string("registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "username", request.Username, "alice@sandbox")
	same(t, "appID", request.Header.AppID, appID)
	if len(request.Challenge) != 43 || request.Header.ServerData == "" || len(request.Policy.Disallowed) != 0 {
		t.Errorf("%+v", request)
	}
	for _, model := range []uaf.AAID{aaid, identity.DemoAAID} {
		if !request.Policy.Allows(uaf.AuthenticatorInfo{AAID: model}) {
			t.Errorf("the policy does not accept %s", model)
		}
	}
	if request.Policy.Allows(uaf.AuthenticatorInfo{AAID: "1111#1111"}) {
		t.Error("the policy accepts a model without metadata")
	}

	// A registered key is disallowed.
	p.registerUAF("alice@sandbox", device)
	if _, err := device.Register(p.uafRequest("alice@sandbox", "registration", nil)); err == nil {
		t.Error("the registered key is not disallowed")
	}
	if _, err := device.Register(p.uafRequest("bob@sandbox", "registration", nil)); err != nil {
		t.Errorf("for somebody else: %v", err)
	}
}

// The longest user id exceeds the limit of a username by one character.
func TestUAFUsernameKeepsToItsLimit(t *testing.T) {
	p := start(t, withUAF(t))
	user := strings.Repeat("u", 64) + "@" + strings.Repeat("d", 64)
	p.manage(http.MethodPut, "users/"+user, object{})
	p.registerUAF(user, demoPhone(t))
}

func TestUAFAuthenticationRequestShape(t *testing.T) {
	device := demoPhone(t)
	p := start(t, withUAF(t))
	p.registerUAF("alice@sandbox", device)
	a := p.post("/users/alice@sandbox/generate-fido-authentication-request", object{"fidoProtocol": "UAF11", "authenticationMessage": "Pay 5"})
	if len(a.body) != 3 || !bareUUID.MatchString(a.string("requestID")) || a.body["uafStatusCode"] != float64(1200) {
		t.Errorf("%d %s", a.status, a.text)
	}
	request, err := uaf.ParseAuthenticationRequest(a.string("authenticationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	if len(request.Transactions) != 1 || request.Transactions[0].ContentType != "text/plain" || string(request.Transactions[0].Content) != "Pay 5" {
		t.Errorf("transaction %+v", request.Transactions)
	}
	want := []uaf.MatchCriteria{{AAIDs: []uaf.AAID{identity.DemoAAID}, KeyIDs: []string{base64url(device.Keys[0].ID)}}}
	if len(request.Policy.Accepted) != 1 || fmt.Sprint(request.Policy.Accepted[0]) != fmt.Sprint(want) {
		t.Errorf("policy %+v, want %+v", request.Policy, want)
	}
}

func TestUAFRegistrationsList(t *testing.T) {
	p := start(t, withUAF(t))
	first, second := demoPhone(t), demoPhone(t)
	p.registerUAF("alice@sandbox", first)
	p.register("alice@sandbox", browser(), nil)
	p.registerUAF("alice@sandbox", second)
	list := p.registrations("alice@sandbox")
	for i, want := range []struct{ name, kind, keyID any }{
		{"Countersign demo authenticator", "UAF11", base64url(first.Keys[0].ID)},
		{"Passkey", "FIDO2", nil},
		{"Countersign demo authenticator 2", "UAF11", base64url(second.Keys[0].ID)},
	} {
		same(t, "name", list[i]["name"], want.name)
		same(t, "type", list[i]["type"], want.kind)
		same(t, "keyID", list[i]["keyID"], want.keyID)
		same(t, "aaguid", list[i]["aaguid"], nil)
		same(t, "lastUsedTime", list[i]["lastUsedTime"], nil)
	}
	same(t, "aaid", list[0]["aaid"], string(identity.DemoAAID))

	p.signInUAF("alice@sandbox", p.sign("alice@sandbox", second, "")).uaf(t, http.StatusOK, uaf.StatusOK)
	list = p.registrations("alice@sandbox")
	if list[2]["lastUsedTime"] == nil || list[0]["lastUsedTime"] != nil {
		t.Errorf("last used: %v and %v", list[0]["lastUsedTime"], list[2]["lastUsedTime"])
	}
}

func TestUAFDeregistration(t *testing.T) {
	p := start(t, withUAF(t))
	device, other := demoPhone(t), demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	p.registerUAF("alice@sandbox", other)
	pending := p.sign("alice@sandbox", device, "")
	first := p.registrations("alice@sandbox")[0]
	path := "/fido-registrations/" + first["registrationID"].(string)
	key := []object{{"aaid": first["aaid"], "keyID": first["keyID"]}}
	a := p.post("/users/alice@sandbox/deregister-fido-uaf-keys", key)
	if a.uaf(t, http.StatusOK, uaf.StatusOK); len(a.body) != 2 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	if deleted := p.call(http.MethodDelete, path, nil); deleted.status != http.StatusNoContent {
		t.Fatalf("%d %s", deleted.status, deleted.text)
	}
	p.post("/users/alice@sandbox/deregister-fido-uaf-keys", key).refused(t, http.StatusConflict, "The key is not registered")
	for i, one := range []*softuaf.Authenticator{other, device} { // the other one's key is not in the request
		deleted, err := one.Deregister(a.string("deregistrationRequest"))
		if err != nil || deleted != i {
			t.Errorf("deleted %d keys (%v), want %d", deleted, err, i)
		}
	}
	p.signInUAF("alice@sandbox", pending).refusedUAF(t, uaf.StatusUnknownKeyID)
	p.call(http.MethodDelete, path, nil).refused(t, http.StatusNotFound, "FIDO registration not found")
	p.signInUAF("alice@sandbox", p.sign("alice@sandbox", other, "")).uaf(t, http.StatusOK, uaf.StatusOK)
	p.registerUAF("alice@sandbox", device)
}

// Registrations of both protocols exist side by side.
func TestBothProtocolsSideBySide(t *testing.T) {
	p := start(t, withUAF(t))
	device, passkey := demoPhone(t), browser()
	requestID, created := p.create("alice@sandbox", passkey, nil)
	enrolled := p.enrol("alice@sandbox", device)
	p.finishUAF("alice@sandbox", created).refusedUAF(t, uaf.StatusUnacceptableContent)
	p.finish("alice@sandbox", requestID, enrolled).invalid(t, "registrationResponse")
	same(t, "FIDO2", p.finish("alice@sandbox", requestID, created).status, http.StatusOK)
	p.finishUAF("alice@sandbox", enrolled).uaf(t, http.StatusOK, uaf.StatusOK)
	p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
	requestID, response := p.get("alice@sandbox", passkey, nil)
	a := p.signIn("alice@sandbox", requestID, response)
	if _, there := a.body["uafStatusCode"]; a.status != http.StatusOK || there {
		t.Errorf("FIDO2 sign-in: %d %s", a.status, a.text)
	}
}

func TestUAFFromAnApp(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	device.Options.FacetID = "android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck"
	p.registerUAF("alice@sandbox", device)
	p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
}

// An authenticator without a counter may sign in again.
func TestUAFWithoutCounters(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	device.Options.NoCounters = true
	p.registerUAF("alice@sandbox", device)
	for range 2 {
		p.signInUAF("alice@sandbox", p.sign("alice@sandbox", device, "")).uaf(t, http.StatusOK, uaf.StatusOK)
	}
}

// Of simultaneous sign-ins with one counter, one succeeds: the others are a cloned key.
func TestUAFCounterHoldsUnderConcurrency(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	var mu sync.Mutex
	var codes []float64
	var all sync.WaitGroup
	for range 8 {
		device.Keys[0].Counter = 6
		response := p.sign("alice@sandbox", device, "")
		all.Go(func() {
			code, _ := p.signInUAF("alice@sandbox", response).body["uafStatusCode"].(float64)
			mu.Lock()
			defer mu.Unlock()
			codes = append(codes, code)
		})
	}
	all.Wait()
	slices.Sort(codes)
	if want := append([]float64{1200}, slices.Repeat([]float64{1498}, 7)...); !slices.Equal(codes, want) {
		t.Errorf("status codes %v, want %v", codes, want)
	}
}

func TestUAFOptions(t *testing.T) {
	for name, change := range map[string]func(*sandbox.Options){
		"an appID without facets": func(o *sandbox.Options) { o.UAFFacets = nil },
		"facets without an appID": func(o *sandbox.Options) { o.UAFAppID = "" },
		"an endless appID":        func(o *sandbox.Options) { o.UAFAppID = "https://" + strings.Repeat("x", 505) },
		"metadata that is no JSON": func(o *sandbox.Options) {
			o.Metadata = []byte("[{")
		},
		"metadata of one model twice": func(o *sandbox.Options) {
			var one []any
			if err := json.Unmarshal(statement(t, phone(t), nil), &one); err != nil {
				t.Fatal(err)
			}
			o.Metadata, _ = json.Marshal(append(one, one...))
		},
	} {
		o := working()
		withUAF(t)(&o)
		change(&o)
		if _, err := sandbox.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
