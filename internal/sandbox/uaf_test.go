package sandbox_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/sandbox"
	"countersign/internal/uaf"
)

// The built-in model needs no metadata file, and stays trusted with one.
func TestUAFDemoAuthenticator_WithoutMetadata(t *testing.T) {
	other := phone(t)
	for name, metadata := range map[string]func(*sandbox.Options){
		"alone": withUAF(t), "beside a file": withUAF(t, statement(t, other, nil)),
	} {
		t.Run(name, func(t *testing.T) { start(t, metadata).registerUAF("alice@sandbox", demoPhone(t)) })
	}
	// A statement in the file replaces the built-in one.
	device := demoPhone(t)
	p := start(t, withUAF(t, statement(t, device, func(m map[string]any) { m["authenticatorVersion"] = 7 })))
	p.finishUAF("alice@sandbox", p.enrol("alice@sandbox", device)).refusedUAF(t, uaf.StatusUnacceptableAuthenticator)
}

// The longest user id exceeds the limit of a username by one character.
func TestUAFUsername_LongestUserID(t *testing.T) {
	p := start(t, withUAF(t))
	user := strings.Repeat("u", 64) + "@" + strings.Repeat("d", 64)
	p.manage(http.MethodPut, "users/"+user, object{})
	p.registerUAF(user, demoPhone(t))
}

func TestUAFDeregistration_ByKey(t *testing.T) {
	p := start(t, withUAF(t))
	device := demoPhone(t)
	p.registerUAF("alice@sandbox", device)
	first := p.registrations("alice@sandbox")[0]
	key := []object{{"aaid": first["aaid"], "keyID": first["keyID"]}}
	a := p.post("/users/alice@sandbox/deregister-fido-uaf-keys", key)
	if a.uaf(t, http.StatusOK, uaf.StatusOK); len(a.body) != 2 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	p.call(http.MethodDelete, "/fido-registrations/"+first["registrationID"].(string), nil)
	p.post("/users/alice@sandbox/deregister-fido-uaf-keys", key).refused(t, http.StatusConflict, "The key is not registered")
	p.registerUAF("alice@sandbox", device)
}

func TestUAFOptions_Invalid(t *testing.T) {
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

// Of simultaneous sign-ins with one counter, one succeeds: the others are a cloned key.
func TestUAFSignIn_ConcurrentCounter(t *testing.T) {
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
