package conformance

import (
	"net/http"
	"net/url"
	"strings"
)

// follow opens an address without a credential, as a browser does that has no session, and
// returns its status and where it leads.
func (c signingContract) follow(t *T, address string) (status int, leads string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Transport: c.http.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode, response.Header.Get("Location")
}

// singleUseOpens opens the signing page as Sign now does: once, and not a second time.
func singleUseOpens(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	page := c.URL + "/transaction/" + url.PathEscape(idOf(path)) + "/sign"
	address := c.URL + "/auth?" + url.Values{"signerAuthenticationToken": {c.token(t, path)}, "target": {page}}.Encode()
	if status, leads := c.follow(t, address); leads != page {
		t.Errorf("a token that counts once: %d, it leads to %q, want %q", status, leads, page)
	}
	if status, leads := c.follow(t, address); leads == page {
		t.Errorf("a token that counts once opens the page twice: %d", status)
	}
}

// invitationPasses shows that the platform's own address of a signing page asks nothing of
// Countersign, however often it is opened.
func invitationPasses(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	link, _ := c.get(t, path+"/roles/signer1/signingUrl")["url"].(string)
	for range 2 {
		if status, _ := c.follow(t, link); status >= http.StatusBadRequest {
			t.Errorf("%s: %d. If it opens nothing without Countersign, no signature can go past it; no setting is needed", link, status)
		}
	}
}

// dataOutlastsSigning changes a package's data while it is with its signers, and looks for
// them after the signature.
func dataOutlastsSigning(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	data := members{"countersign": members{"kept": strings.Repeat("k", 40<<10), "proofs": members{"signer1": members{"passkey": members{"maxAge": 300}}}}, "own": "x"}
	c.send(t, http.MethodPut, path, members{"data": data}).wantEmpty(t)
	c.showing("").sendAs(t, c.session(t, c.token(t, path)), path+"/documents/signed_documents", members{"documents": []members{{"id": "contract"}}}).wantEmpty(t)
	got := c.get(t, path)
	want(t, got, "status", "COMPLETED")
	if kept, _ := at(got, "data", "countersign")["kept"].(string); len(kept) != 40<<10 {
		t.Errorf("of data.countersign.kept %d bytes are left", len(kept))
	}
	want(t, at(got, "data", "countersign", "proofs", "signer1", "passkey"), "maxAge", float64(300))
	want(t, at(got, "data"), "own", "x")
}
