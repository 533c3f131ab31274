package compose_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPasskey_UsedRecently(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{"maxAge": 60}})
	page := "/packages/" + id + "/sign"
	if got := lacks(s.token(id), "sign-in"); len(got) != 1 || got[0] != (missing{Kind: "passkey", Reason: "none", MaxAge: 60}) {
		t.Errorf("registering a passkey is %+v", got)
	}
	s.passkey()
	s.bob.Send("GET", "/api/packages", nil).Want(http.StatusOK) // the index has read the package
	e2etest.Manage(t, s.app, "DELETE", "/journal", nil)
	s.bob.Page(page).Want(http.StatusSeeOther)
	if calls := e2etest.JournalOf(t, s.app, "/api/"); len(calls) != 4 {
		t.Errorf("before the signing page opens the platform is asked %q", calls)
	}
	answer := s.token(id).Want(http.StatusOK)
	if answer.Text("packageId") != id || answer.Text("value") == "" {
		t.Errorf("the token is %s", answer.Body)
	}
	s.clock.Advance(40 * time.Second)
	r := s.bob.Send("POST", "/users/"+bob+"/login", e2etest.RightPassword).Want(http.StatusOK) // step-up by password
	s.bob.Carry(r)
	s.token(id).Want(http.StatusOK)
	s.clock.Advance(22 * time.Second)
	if got := lacks(s.token(id), "sign-in"); got[0].Reason != "stale" {
		t.Errorf("an old sign-in is %+v", got)
	}
	s.bob.Page(page).Want(http.StatusForbidden)
	lacks(s.bob.Send("GET", page, nil, "Accept", "application/json"), "sign-in")
	s.passkey()
	s.token(id).Want(http.StatusOK)
	other := e2etest.Program(t, s.app).SignedIn(bob) // another session of his
	lacks(other.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": id, "signerId": "bob@sandbox.example"}), "sign-in")
	for _, proven := range []*e2etest.Client{s.bob, other} {
		proven.Send("GET", "/api/packages/"+id+"/roles/bob/signingUrl", nil).Refused(http.StatusConflict, "signing.state")
		proven.Send("POST", "/api/authenticationTokens/signer/multiUse", members{"packageId": id, "signerId": "bob"}).Refused(http.StatusConflict, "signing.state")
		proven.Send("POST", "/api/signerAuthenticationTokens", members{"packageId": id, "signerId": "bob"}).Refused(http.StatusConflict, "signing.state")
	}
	free := s.send(nil)
	s.bob.Send("GET", "/api/packages/"+free+"/roles/bob/signingUrl", nil).Want(http.StatusOK)
	s.token(free).Want(http.StatusOK)
	if n := len(s.events("signing.opened")); n != 4 {
		t.Errorf("%d openings are in the audit trail", n)
	}
}

// The record names the model of the passkey that was used, if the platform tells that it was
// used at that moment.
func TestRecord_NamesPasskeyModel(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	google := authenticator.NewFIDO2(authenticator.Options{
		Origin: s.app.URL(), UserVerifying: true, Discoverable: true, Platform: true,
		AAGUID: [16]byte{0xea, 0x9b, 0x8d, 0x66, 0x4d, 0x01, 0x1d, 0x21, 0x3c, 0xe4, 0xb6, 0xb4, 0x8c, 0xb5, 0x75, 0xd4},
	})
	s.bob.Register(google)
	s.clock.Advance(time.Minute)
	openOnce := func() keptPasskey {
		t.Helper()
		s.token(id).Want(http.StatusOK)
		kept := s.proofs(id).Kept
		return *kept[0].Passkey
	}
	s.bob.Passkey(bob, google)
	if got := openOnce(); got.AAGUID == nil || *got.AAGUID != "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4" || got.Provider == nil || *got.Provider != "Google Password Manager" {
		t.Errorf("of a known model is kept %+v", got)
	}
	e2etest.Manage(t, s.app, "POST", "/faults", members{"operation": "listFidoRegistrations", "status": 500, "times": 1})
	if got := openOnce(); got.AAGUID != nil || got.Provider != nil {
		t.Errorf("without the platform's list is kept %+v", got)
	}
	s.clock.Advance(time.Minute)
	e2etest.Program(t, s.app).Passkey(bob, google) // in another session: this one's use is no longer the last
	if got := openOnce(); got.AAGUID != nil || got.Provider != nil {
		t.Errorf("after a later use is kept %+v", got)
	}
	s.passkey() // one that keeps its model to itself
	if got := openOnce(); got.AAGUID != nil || got.Provider != nil {
		t.Errorf("of an unknown model is kept %+v", got)
	}
}

func TestUAF_SignInCountsAsPasskey(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	phone := e2etest.PhoneOf(t, s.app, bob)
	app := e2etest.Program(t, s.app)
	app.FinishSignIn(bob, app.Sign(bob, phone, "")).Want(http.StatusOK)
	app.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": id, "signerId": "bob"}).Want(http.StatusOK)
	got := s.proofs(id).Kept[0].Passkey
	if got.Protocol != "UAF11" || got.AAID == nil || !strings.Contains(*got.AAID, "#") {
		t.Errorf("kept is %+v", got)
	}
}

func TestIdentity_Verified(t *testing.T) {
	s := openSite(t)
	id := s.send(anIdentity)
	reason := func() string {
		t.Helper()
		got := lacks(s.token(id), "verify")
		if len(got) != 1 || got[0].Kind != "identity" || got[0].Met {
			t.Fatalf("missing is %+v", got)
		}
		return got[0].Reason
	}
	passed := func(first, last string) members {
		return members{"status": "completed", "result": "Passed", "firstName": first, "lastName": last}
	}
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"none", func() {}, "none"},
		{"under way", func() { s.verify(nil) }, "none"},
		{"cancelled", func() { s.verify(members{"status": "cancelled"}) }, "none"},
		{"of somebody else", func() {
			other := s.bob.Send("PUT", "/api/transaction", members{"users": []any{members{"first_name": "Bob", "last_name": "Müller"}}}).Want(http.StatusOK).Text("id")
			e2etest.Manage(t, s.app, "POST", "/transactions/"+other, members{"status": "completed"})
		}, "none"},
		{"somebody else's", func() {
			other := s.owner.Send("PUT", "/api/transaction?for=self", members{"users": []any{members{"first_name": "Bob", "last_name": "Müller"}}}).Want(http.StatusOK).Text("id")
			e2etest.Manage(t, s.app, "POST", "/transactions/"+other, members{"status": "completed"})
		}, "none"},
		{"failed", func() { s.verify(members{"status": "completed", "result": "Failed"}) }, "failed"},
		{"another name, typed right", func() { s.verify(passed("Rob", "Mueller")) }, "other-name"},
		{"no name", func() { s.verify(passed("", "")) }, "unnamed"},
		{"erased", func() {
			marked := s.verify(passed("BOB ROBERT", "MUELLER"))
			operator := e2etest.Program(t, s.app).SignedIn(carol)
			operator.Send("POST", "/api/transactions/mark-for-erasure", members{"grace_period": 30, "transaction_ids": []string{marked}}).Want(http.StatusOK)
		}, "erased"},
		{"stale", func() {
			old := passed("BOB", "MUELLER")
			old["completed"] = time.Now().Add(-91 * 24 * time.Hour).UTC().Format(time.RFC3339)
			s.verify(old)
		}, "stale"},
	} {
		step.change()
		if got := reason(); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
		if says := strings.Contains(s.token(id).Text("detail"), "The sender can choose Correct"); says != (step.want == "other-name") {
			t.Errorf("%s: it says that the sender can correct the name: %v", step.name, says)
		}
	}
	s.fails("getTransaction", 500)
	s.token(id).Want(http.StatusServiceUnavailable)
	s.heal()
	good := s.verify(passed("BOB ROBERT", "MUELLER"))
	s.fails("getDetailedReport", 500)
	s.token(id).Want(http.StatusServiceUnavailable)
	s.heal()
	s.token(id).Want(http.StatusOK)
	if got := s.proofs(id).Kept; len(got) != 1 || got[0].Identity == nil || got[0].Identity.Transaction != good || got[0].Identity.Name != "BOB ROBERT MUELLER" || got[0].Passkey != nil {
		t.Errorf("kept is %+v", got)
	}
}

// One good check is enough, however many have failed since.
func TestIdentity_OneGoodCheckSuffices(t *testing.T) {
	s := openSite(t)
	id := s.send(anIdentity)
	good := s.verify(members{"status": "completed", "result": "Passed"})
	for range 21 {
		failed := s.verify(members{"status": "completed", "result": "Failed"})
		s.bob.Send("GET", "/api/transaction/"+failed, nil).Want(http.StatusOK) // corrects the index
	}
	s.token(id).Want(http.StatusOK)
	if got := s.proofs(id).Kept[0].Identity; got.Transaction != good {
		t.Errorf("kept is %+v", got)
	}
}

func TestProofs_PasskeyAndIdentity(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{}, "identity": members{}})
	if got := lacks(s.token(id), "sign-in"); len(got) != 2 || got[0].Met || got[1].Met {
		t.Errorf("missing is %+v", got)
	}
	s.passkey()
	if got := lacks(s.token(id), "verify"); !got[0].Met || got[1].Met {
		t.Errorf("missing is %+v", got)
	}
	s.verify(members{"status": "completed"})
	s.token(id).Want(http.StatusOK)
}

// What is kept are the documents as they are then, and a signature stands on it.
func TestRecord_DocumentsAtOpening(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	address := s.bob.Page("/packages/" + id + "/sign").Want(http.StatusSeeOther)
	for name, want := range map[string]string{"Cache-Control": "no-store, no-transform", "Referrer-Policy": "no-referrer"} {
		if got := address.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	to := address.Header.Get("Location")
	if !strings.HasPrefix(to, s.app.SandboxURL()+"/auth?signerAuthenticationToken=") || !strings.Contains(to, "&target=") {
		t.Fatalf("signing is at %s", to)
	}
	got := s.proofs(id)
	if len(got.Kept) != 1 || got.State != "waiting" || got.SignedAt != nil {
		t.Fatalf("kept is %+v", got)
	}
	one := got.Kept[0]
	pdf := s.owner.Send("GET", "/api/packages/"+id+"/documents/lease/pdf", nil).Want(http.StatusOK).Body
	if len(one.Documents) != 1 || one.Documents[0].ID != "lease" || one.Documents[0].SHA256 != sum(pdf) {
		t.Errorf("documents are %+v, the file has %s", one.Documents, sum(pdf))
	}
	if one.Signer != "bob@sandbox.example" || one.Role != "bob" || one.Passkey == nil || one.Passkey.Protocol != "FIDO2" || one.Passkey.AAGUID != nil || len(one.Passkey.Ceremony) != 43 {
		t.Errorf("kept is %+v %+v", one, one.Passkey)
	}
	if opened := s.events("signing.opened"); len(opened) != 1 || !strings.Contains(opened[0], sum(pdf)) || !strings.Contains(opened[0], one.Passkey.Ceremony) {
		t.Errorf("the audit trail has %s", opened)
	}
	if public := s.owner.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK); strings.Contains(string(public.Body), "kept") {
		t.Errorf("the package tells %s", public.Body)
	}
	e2etest.SignAt(t, to)
	if got := s.proofs(id); got.State != "met" || got.SignedAt == nil {
		t.Errorf("signed is %+v", got)
	}
	again, err := http.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode < http.StatusBadRequest {
		t.Errorf("the token counts twice: %d", again.StatusCode)
	}
	if unmet := s.events("signing.unmet"); len(unmet) != 0 {
		t.Errorf("the audit trail has %s", unmet)
	}
}

// The platform's own invitation leads past us, which is noticed.
func TestSignature_ByPlatformInvitation(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	e2etest.SignAt(t, s.invitation("bob@sandbox.example"))
	s.bob.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK) // corrects the index
	if got := s.proofs(id); got.State != "unmet" || len(got.Kept) != 0 {
		t.Errorf("signed past us is %+v", got)
	}
	s.proofs(id)
	if unmet := s.events("signing.unmet"); len(unmet) != 1 || !strings.Contains(unmet[0], id) || !strings.Contains(unmet[0], "bob@sandbox.example") {
		t.Errorf("the audit trail has %s", unmet)
	}
	metrics := string(e2etest.Asked(t, s.app, "/metrics").Body)
	if !strings.Contains(metrics, "countersign_signatures_unmet_total 1") {
		t.Error("no metric tells of it")
	}
	page := string(s.owner.Page("/packages/" + id).Want(http.StatusOK).Body)
	if !strings.Contains(page, "Signature evidence") || !strings.Contains(page, "Signed without the required proof") {
		t.Errorf("the page says %s", page)
	}
	if page := string(s.owner.Page("/packages/" + id + "/proofs").Want(http.StatusOK).Body); !strings.Contains(page, "Signed without the required proof") || !regexp.MustCompile(`data-exact>[^<]+:\d\d UTC<`).MatchString(page) {
		t.Errorf("the page to print says %s", page)
	}
}

// Whichever call of the platform fails, the signing page does not open and nothing is kept.
func TestOpening_PlatformFails(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	for _, operation := range []string{"getVisibility", "getPackage", "getDocumentPdf", "createSignerToken", "updatePackage"} {
		for _, status := range []int{500, 503} {
			s.fails(operation, status)
			if operation == "getVisibility" { // which is not asked for again until the package changes
				id = s.send(aPasskey)
			}
			for _, r := range []e2etest.Reply{s.token(id), s.bob.Page("/packages/" + id + "/sign")} {
				if r.Status != http.StatusServiceUnavailable && (r.Status != http.StatusBadGateway || operation != "getVisibility" && operation != "getPackage" && operation != "createSignerToken") {
					t.Errorf("%s %d: %s is %d: %s", operation, status, r.What, r.Status, r.Body)
				}
				if r.Header.Get("Location") != "" || strings.Contains(string(r.Body), `"value"`) {
					t.Errorf("%s %d: the signing page opens", operation, status)
				}
			}
			s.heal()
		}
		if got := s.proofs(id); len(got.Kept) != 0 {
			t.Errorf("%s: kept is %+v", operation, got.Kept)
		}
	}
	if opened := s.events("signing.opened"); len(opened) != 4 { // those whose package could not be written
		t.Errorf("%d openings in the audit trail", len(opened))
	}
	s.token(id).Want(http.StatusOK)
}

// Openings at once are all kept.
func TestOpening_ManyAtOnce(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { s.token(id).Want(http.StatusOK) })
	}
	all.Wait()
	if kept, opened := s.proofs(id).Kept, s.events("signing.opened"); len(kept) != 6 || len(opened) != 6 {
		t.Errorf("%d are kept, %d in the audit trail", len(kept), len(opened))
	}
}

func TestOpening_NotByHeadOrPrefetch(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	e2etest.Untouched(t, s.app, func() {
		r := s.bob.Send("HEAD", "/packages/"+id+"/sign", nil, "Accept", "text/html")
		if strings.Contains(r.Header.Get("Location"), "/auth") {
			t.Errorf("HEAD leads to %s", r.Header.Get("Location"))
		}
		s.bob.Send("GET", "/packages/"+id+"/sign", nil, "Accept", "text/html", "Sec-Purpose", "prefetch;prerender").Want(http.StatusForbidden)
	}, "createSignerToken", "updatePackage")
}

// Without the audit trail nothing opens.
func TestOpening_AuditTrailUnavailable(t *testing.T) {
	s := openSite(t)
	full := e2etest.Boot(t, "AUDIT_LOG=/dev/full", "RATE_LOOKUP=off")
	s.app = full
	s.owner, s.bob = e2etest.Program(t, full).SignedIn(alice), e2etest.Program(t, full).SignedIn(bob)
	s.key = e2etest.NewPasskey(full)
	s.bob.Register(s.key)
	id := s.send(aPasskey)
	s.passkey()
	s.token(id).Refused(http.StatusServiceUnavailable, "server.unavailable")
	if got := s.proofs(id); len(got.Kept) != 0 {
		t.Errorf("kept is %+v", got.Kept)
	}
}

// Each opening has the documents as they are then.
func TestOpening_DocumentReplaced(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	s.clock.Advance(10 * time.Second)
	hash := func() string {
		t.Helper()
		s.token(id).Want(http.StatusOK)
		got := s.proofs(id).Kept[0].Documents
		pdf := s.owner.Send("GET", "/api/packages/"+id+"/documents/lease/pdf", nil).Want(http.StatusOK).Body
		if len(got) != 1 || got[0].SHA256 != sum(pdf) {
			t.Fatalf("kept is %+v, the file has %s", got, sum(pdf))
		}
		return got[0].SHA256
	}
	first := hash()
	if again := hash(); again != first {
		t.Errorf("the same document is %s and %s", first, again)
	}
	s.owner.Send("PUT", "/api/packages/"+id, members{"status": "DRAFT"}).Want(http.StatusOK)
	swapped := base64.StdEncoding.EncodeToString([]byte(strings.Replace(e2etest.Blank, "612 792", "300 400", 1)))
	s.owner.Send("PUT", "/api/packages/"+id+"/documents/lease", members{"name": "Lease", "base64Content": swapped}).Want(http.StatusOK)
	s.owner.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
	if other := hash(); other == first {
		t.Error("another document has the same hash")
	}
}

// A signer whose address was corrected does not stand on what another one proved.
func TestOpening_SignerAddressCorrected(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey)
	s.passkey()
	s.token(id).Want(http.StatusOK)
	s.owner.Send("PUT", "/api/packages/"+id+"/roles/bob", members{"signers": []any{members{"id": "bob", "email": "rob@sandbox.example", "firstName": "Rob", "lastName": "Other"}}}).Want(http.StatusOK)
	e2etest.SignAt(t, s.invitation("rob@sandbox.example"))
	if got := s.proofs(id); got.State != "unmet" || len(got.Kept) != 1 {
		t.Errorf("signed by somebody else is %+v", got)
	}
	e2etest.Manage(t, s.app, "PUT", "/users/rob@sandbox", members{"email": "rob@sandbox.example"})
	rob := e2etest.Program(t, s.app).SignedIn("rob@sandbox")
	for _, r := range []e2etest.Reply{rob.Send("GET", "/api/packages/"+id+"/proofs", nil), rob.Page("/packages/" + id + "/proofs"), rob.Page("/packages/" + id)} {
		if body := string(r.Want(http.StatusOK).Body); strings.Contains(body, "bob@") || strings.Contains(body, "FIDO2") {
			t.Errorf("%s tells rob what bob proved: %s", r.What, body)
		}
	}
}

// Of a role with several signers, each may sign for it.
func TestRole_SecondSigner(t *testing.T) {
	s := openSite(t)
	pkg := lease("bob@sandbox.example")
	role := pkg["roles"].([]any)[0].(members)
	role["signers"] = append([]any{members{"id": "rob", "email": "rob@sandbox.example", "firstName": "Rob", "lastName": "Other"}}, role["signers"].([]any)...)
	id := s.owner.Send("POST", "/api/packages", pkg).Want(http.StatusOK).Text("id")
	s.ask(id, aPasskey).Want(http.StatusOK)
	s.owner.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
	s.passkey()
	answer := s.bob.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": id, "signerId": "bob@sandbox.example"}).Want(http.StatusOK)
	e2etest.SignAt(t, s.app.SandboxURL()+"/auth?signerAuthenticationToken="+answer.Text("value")+"&target="+url.QueryEscape(s.app.SandboxURL()+"/transaction/"+id+"/sign"))
	if got := s.proofs(id); got.State != "met" || len(got.Kept) != 1 || len(s.events("signing.unmet")) != 0 {
		t.Errorf("an honest signature is %+v", got)
	}
}

// Pages say what is missing and lead to it and back.
func TestPages_LeadToMissingProofs(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{}, "identity": members{}})
	browser := e2etest.Browser(t, s.app).SignedIn(bob)
	page := browser.Page("/packages/" + id + "/sign").Want(http.StatusForbidden)
	for _, want := range []string{"Sign in with your passkey", "/login?again=yes&amp;next=" + url.QueryEscape("/packages/"+id+"/sign"), "Open your identity check once", "Missing"} {
		if !strings.Contains(string(page.Body), want) {
			t.Errorf("the page lacks %q: %s", want, page.Body)
		}
	}
	only := s.send(anIdentity)
	page = browser.Page("/packages/" + only + "/sign").Want(http.StatusForbidden)
	next := "/packages/" + only + "/sign"
	if !strings.Contains(string(page.Body), "/verifications/new?for=self&amp;next="+url.QueryEscape(next)) || !strings.Contains(string(page.Body), "Check your identity") {
		t.Errorf("the page is %s", page.Body)
	}
	if evil := browser.Page("/verifications/new?for=self&next=//evil.example/packages/x/sign"); strings.Contains(string(evil.Body), `name="next"`) {
		t.Error("the form leads elsewhere")
	}
}

// The sweep finds a signature past us, though nobody opens the package.
func TestSweep_FindsSignatureByPlatformInvitation(t *testing.T) {
	s := openSite(t, "SIGNING_SWEEP=1s")
	id := s.send(aPasskey)
	e2etest.SignAt(t, s.invitation("bob@sandbox.example"))
	e2etest.Eventually(t, "the audit trail tells of it", func() bool {
		s.clock.Advance(time.Second)
		return len(s.events("signing.unmet")) > 0
	})
	if unmet := s.events("signing.unmet"); len(unmet) != 1 || !strings.Contains(unmet[0], id) {
		t.Errorf("the audit trail has %s", unmet)
	}
}

// A wrong answer of the platform opens nothing.
func TestOpening_InvalidPlatformResponse(t *testing.T) {
	s := openSite(t)
	id, other := s.send(aPasskey), s.send(nil)
	notProved := e2etest.Program(t, s.app).SignedIn(bob)
	s.passkey()
	for _, test := range []struct {
		operation string
		body      any
		status    int
	}{
		// First: a hash that has been made once is remembered until the package changes.
		{"getDocumentPdf", "<html>busy</html>", http.StatusServiceUnavailable},
		{"getDocumentPdf", "", http.StatusServiceUnavailable},
		{"createSignerToken", "no json", http.StatusBadGateway},
		{"createSignerToken", "", http.StatusBadGateway},
		{"createSignerToken", "{", http.StatusBadGateway},
		{"createSignerToken", members{}, http.StatusBadGateway},
		{"createSignerToken", members{"value": ""}, http.StatusBadGateway},
		{"getPackage", members{}, http.StatusBadGateway},
		{"getPackage", members{"id": other, "status": "SENT"}, http.StatusBadGateway},
		{"updatePackage", "<html>busy</html>", http.StatusServiceUnavailable},
		{"getPackage", members{"id": id, "status": "SENT", "data": members{"countersign": members{"proofs": members{"bob": aPasskey}}}}, http.StatusForbidden},
	} {
		e2etest.Manage(t, s.app, "POST", "/faults", members{"operation": test.operation, "status": 200, "times": 0, "body": test.body})
		for _, who := range []*e2etest.Client{notProved, s.bob} {
			r := who.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": id, "signerId": "bob"})
			if r.Status != test.status && (who == s.bob || r.Status != http.StatusForbidden) || strings.Contains(string(r.Body), `"value"`) {
				t.Errorf("%s answers %v: %d %s", test.operation, test.body, r.Status, r.Body)
			}
		}
		if r := s.bob.Page("/packages/" + id + "/sign"); r.Status < http.StatusBadRequest && strings.Contains(r.Header.Get("Location"), "/auth") {
			t.Errorf("%s answers %v: the page leads to %s", test.operation, test.body, r.Header.Get("Location"))
		}
		s.heal()
	}
	if got := s.proofs(id); len(got.Kept) != 0 {
		t.Errorf("kept is %+v", got.Kept)
	}
	s.token(id).Want(http.StatusOK)
}
