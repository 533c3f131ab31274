package sandbox_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/seed"
)

// What a seed names is there at the beginning, and again after a reset, whatever was done
// meanwhile.
func TestSeed_RestoredByReset(t *testing.T) {
	device := browser()
	enrolled := start(t)
	enrolled.register("alice@sandbox", device, nil)
	stored, err := device.Store()
	if err != nil {
		t.Fatal(err)
	}
	passkey, err := json.Marshal(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	world, err := seed.Parse(fmt.Appendf(nil, `
people: [{user: Ann@Example, displayName: Ann, password: secret}, {user: zoe@example, status: locked}]
authenticators: [{user: ann@example, name: Laptop, fido2: %s}]
customFields: [{id: policy, value: P-1, translations: [{name: Policy}]}]
packages:
- {id: lease, name: Lease, status: SENT, owner: ann@example, age: 36h, signers: [{email: bob@example.org, firstName: Bob, lastName: B}]}
- {name: Archive, status: ARCHIVED}
verifications: [{id: 8f14e45f-ceea-4672-9d5a-0f6a3d1c9f10, firstName: Ann, lastName: A, status: completed, result: Failed}]
`, passkey), "localhost")
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, func(o *sandbox.Options) { o.Seed = &world })
	for _, when := range []string{"at the beginning", "after a reset"} {
		p.seeded(when, stored[0])
		p.manage(http.MethodPut, "users/ann@example", object{"passKey": "other"})
		p.manage(http.MethodPut, "users/new@example", object{})
		p.call(http.MethodDelete, "/api/packages/lease", nil)
		p.call(http.MethodDelete, "/api/account/customfields/policy", nil)
		p.manage(http.MethodPost, "transactions/8f14e45f-ceea-4672-9d5a-0f6a3d1c9f10", object{"status": "error"})
		p.call(http.MethodDelete, "/fido-registrations/"+p.registrations("ann@example")[0]["registrationID"].(string), nil)
		p.advance("1h")
		p.manage(http.MethodPost, "reset", nil)
	}
}

func (p platform) seeded(when string, passkey authenticator.StoredCredential) {
	p.t.Helper()
	same(p.t, when+", the password", p.password("ann@example", "secret").status, http.StatusOK)
	p.password("zoe@example", "Sandbox-1!").refused(p.t, http.StatusConflict, "User is locked")
	same(p.t, when+", the demo people", p.call(http.MethodGet, "/users/alice@sandbox", nil).status, http.StatusNotFound)
	same(p.t, when+", others", p.call(http.MethodGet, "/users/new@example", nil).status, http.StatusNotFound)
	same(p.t, when+", the name of the authenticator", p.registrations("ann@example")[0]["name"], "Laptop")
	device := browser()
	if err := device.Restore(passkey); err != nil {
		p.t.Fatal(err)
	}
	requestID, response := p.get("ann@example", device, nil)
	if a := p.signIn("ann@example", requestID, response); a.status != http.StatusOK {
		p.t.Errorf("%s, by the authenticator: %d %s", when, a.status, a.text)
	}
	same(p.t, when+", the custom field", p.call(http.MethodGet, "/api/account/customfields/policy", nil).string("value"), "P-1")
	lease := p.call(http.MethodGet, "/api/packages/lease", nil)
	if lease.string("status") != "SENT" || !strings.Contains(lease.text, "bob@example.org") || !strings.Contains(lease.text, `"owner":"ann@example"`) {
		p.t.Errorf("%s: %d %s", when, lease.status, lease.text)
	}
	same(p.t, when+", packages", strings.Count(p.call(http.MethodGet, "/api/packages?from=1&to=10", nil).text, `"trashed"`), 2)
	r := p.request(http.MethodGet, "/api/transaction/8f14e45f-ceea-4672-9d5a-0f6a3d1c9f10", "")
	r.Header.Set("Authorization", "Bearer "+idv.Token)
	r.Header.Set("X-Tenant", idv.Tenant)
	same(p.t, when+", the verification", p.send(r).string("status"), "completed")
}

func TestSeed_EveryAlgorithm(t *testing.T) {
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		device := browser(func(o *authenticator.Options) { o.Algorithm = algorithm })
		start(t).register("alice@sandbox", device, nil)
		stored, err := device.Store()
		if err != nil {
			t.Fatal(err)
		}
		for name, fits := range map[authenticator.Algorithm]bool{"ES256": algorithm == "ES256", "RS256": algorithm == "RS256", "EdDSA": algorithm == "EdDSA"} {
			_, err := seed.Parse(fmt.Appendf(nil, `authenticators: [{user: bob@sandbox, fido2: {algorithm: %s, credentialID: AAAA, rpID: localhost, userHandle: AAAA, privateKey: %s}}]`,
				name, base64.StdEncoding.EncodeToString(stored[0].PrivateKey)), "localhost")
			if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "authenticators.0.fido2.privateKey") {
				t.Errorf("a key of %s as %s: %v", algorithm, name, err)
			}
		}
	}
}
