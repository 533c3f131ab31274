package conformance

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// signingFacts returns the cases for assumptions about the signing API that the
// specification does not settle.
func signingFacts(env SigningEnv) []testCase[signingContract] {
	cases := []testCase[signingContract]{
		{name: "a window of the list includes its first and last record", fact: "S5", run: inclusiveWindows},
		{name: "the list has the credential's own packages", fact: "S5", run: ownPackagesListed},
		{name: "dates of the list are included", fact: "S5", run: inclusiveDates},
		{name: "the list knows every status", fact: "S4, S5", run: listedByStatus},
		{name: "refusals have their statuses and keys", fact: "S12", run: signingRefusals},
		{name: "the signing page is at the platform's host", fact: "S10", run: signingHost},
		{name: "a token that counts once opens the signing page", fact: "S9, S18", run: singleUseOpens},
		{name: "an invitation needs nothing of ours", fact: "S18", run: invitationPasses},
		{name: "data outlasts a signature", fact: "S18", run: dataOutlastsSigning},
	}
	if env.Renewable {
		cases = append(cases, testCase[signingContract]{name: "the credential is renewed", fact: "S1", run: credentialRenewed})
	}
	return append(cases, testCase[signingContract]{
		name: "a page of the list has a hundred packages", fact: "S5", run: pageSize, leftOut: lacking(!env.Fill, "the account is not to be filled"),
	})
}

// credentialRenewed asks for one more token, and then shows both: calls that are under way
// while a token is renewed carry the one before.
func credentialRenewed(t *T, c signingContract) {
	show := func(given string) (credential string, status int) {
		r := c.authorize(t, c.request(t, http.MethodGet, packages+"?from=1&to=1", nil), given)
		credential = r.Header.Get("Authorization")
		return credential, exchange(t, c.http, r).status
	}
	before, status := show("")
	if status != http.StatusOK {
		t.Errorf("listPackages with a token: %d", status)
	}
	if _, status = show(before); status != http.StatusOK {
		t.Errorf("listPackages with the next token: %d", status)
	}
	r := c.request(t, http.MethodGet, packages+"?from=1&to=1", nil)
	r.Header.Set("Authorization", before)
	if a := exchange(t, c.http, r); a.status != http.StatusOK {
		t.Errorf("listPackages with the token before: %d: a token ends when the next one is handed out. Countersign repeats what is safe to repeat; other calls that are under way then are 503", a.status)
	}
}

// results returns the number of packages in a window of the list, and their total number.
func (c signingContract) results(t *T, query string) (got, count int) {
	a := c.send(t, http.MethodGet, packages+"?"+query, nil)
	body := a.json(t)
	all, ok := body["results"].([]any)
	if !ok || a.status != http.StatusOK {
		t.Fatalf("%s?%s: %d %.300s", a.call, query, a.status, a.body)
	}
	number, _ := body["count"].(float64)
	return len(all), int(number)
}

// ownPackagesListed looks whether the list has packages of other users of the account than the
// credential's, who is the sender of what it makes.
func ownPackagesListed(t *T, c signingContract) {
	sender := func(p members) any { return at(p, "sender")["email"] }
	own := sender(c.get(t, c.create(t, members{"name": "Conformance"})))
	all, _ := c.send(t, http.MethodGet, packages+"?from=1&to=100", nil).json(t)["results"].([]any)
	for _, one := range all {
		p, _ := one.(members)
		if email := sender(p); email != nil && email != own {
			t.Errorf("listPackages has packages of other senders than the credential's user: packages that others make at the platform are in the lists, too")
			return
		}
	}
}

func inclusiveWindows(t *T, c signingContract) {
	for range 3 {
		c.create(t, members{"name": "Conformance"})
	}
	switch got, _ := c.results(t, "from=1&to=3"); got {
	case 3:
	case 2:
		t.Errorf("listPackages from=1&to=3 has 2 packages: the last record is left out. Countersign notices that in the list and asks for one more; no setting is needed")
	default:
		t.Errorf("listPackages from=1&to=3 has %d packages, want 3", got)
	}
	if got, _ := c.results(t, "from=0&to=1"); got < 1 || got > 2 {
		t.Errorf("listPackages from=0&to=1 has %d packages", got)
	}
}

// inclusiveDates searches for a package by the exact time of its last update, because
// each sweep begins at the time at which the last one ended.
func inclusiveDates(t *T, c signingContract) {
	path := c.create(t, members{"name": "Conformance"})
	updated, _ := c.get(t, path)["updated"].(string)
	if updated == "" {
		t.Fatalf("getPackage: updated is missing")
	}
	at := url.QueryEscape(updated)
	for name, window := range map[string]string{
		"lastUpdatedStartDate": "lastUpdatedStartDate=" + at,
		"lastUpdatedEndDate":   "lastUpdatedEndDate=" + at,
		"both":                 "lastUpdatedStartDate=" + at + "&lastUpdatedEndDate=" + at,
	} {
		listed, _ := c.get(t, packages+"?from=1&to=100&"+window)["results"].([]any)
		if !slices.ContainsFunc(listed, func(one any) bool { p, _ := one.(members); return packages+"/"+id(p) == path }) {
			t.Errorf("listPackages with %s = %s leaves out the package that was updated then", name, updated)
		}
	}
}

func listedByStatus(t *T, c signingContract) {
	for _, status := range []string{"DRAFT", "SENT", "COMPLETED", "ARCHIVED", "DECLINED", "OPTED_OUT", "EXPIRED"} {
		if a := c.send(t, http.MethodGet, packages+"?from=1&to=1&query="+status, nil); a.status != http.StatusOK {
			t.Errorf("listPackages query=%s: %d %.300s", status, a.status, a.body)
		}
	}
}

func signingRefusals(t *T, c signingContract) {
	c.send(t, http.MethodPost, packages, members{"name": "Conformance", "status": "NONE"}).wantError(t, http.StatusBadRequest)
	missing := c.send(t, http.MethodGet, packages+"/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", nil)
	missing.wantError(t, http.StatusNotFound)
	if key, _ := missing.json(t)["messageKey"].(string); !strings.HasPrefix(key, "error.notFound.") {
		t.Errorf("%s: the key of an unknown package is %q", missing.call, key)
	}
	own, err := c.Authorize(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if a := c.showing("Basic conformance").send(t, http.MethodGet, packages+"?from=1&to=1", nil); own != "" && a.status != http.StatusUnauthorized {
		t.Errorf("%s with a wrong credential: %d %.300s, want 401", a.call, a.status, a.body)
	}
}

// signingHost names the host of signing pages if it is not the API's.
func signingHost(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	link, _ := c.get(t, path+"/roles/signer1/signingUrl")["url"].(string)
	page, err := url.Parse(link)
	if err != nil || page.Host == "" {
		t.Fatalf("getSigningUrl: %q", link)
	}
	if base, err := url.Parse(c.URL); err == nil && base.Host != page.Host {
		t.Errorf("getSigningUrl leads to %s, the API is at %s", page.Host, base.Host)
		t.Needs("SIGNING_SITE_HOSTS", page.Host, "where getSigningUrl leads")
	}
}

// pageSize finds out how many packages one call lists, up to the number that Countersign
// asks for.
func pageSize(t *T, c signingContract) {
	const most = 100
	_, count := c.results(t, "from=1&to=1")
	for range most - count {
		c.create(t, members{"name": "Conformance"})
	}
	if got, _ := c.results(t, "from=1&to="+strconv.Itoa(most)); got < most-1 {
		t.Errorf("listPackages from=1&to=%d has %d packages: no more are listed at once. Countersign asks for the others; no setting is needed", most, got)
	}
}
