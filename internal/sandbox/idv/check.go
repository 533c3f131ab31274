package idv

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/sandbox/wire"
)

// The limits of agreements: of one, and of all of them together (docs/platform.md V3).
const (
	documentLimit  = 10_000_000
	documentsLimit = 50_000_000
)

// The ids of redirects (docs/platform.md V3).
const (
	redirectPass    = "REDIRECT_DOCID_PASS" //nolint:gosec // not a password
	redirectFail    = "REDIRECT_DOCID_FAIL"
	redirectTimeout = "REDIRECT_SESSION_TIMEOUT"
	redirectError   = "REDIRECT_ERROR"
	redirectDefault = "REDIRECT_DEFAULT_URL"
)

var (
	phoneNumber = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	countryCode = regexp.MustCompile(`^[A-Z]{2}$`)
)

// check reports what is wrong with the payload of a new transaction.
func (in *input) check(rules *wire.Rules, now time.Time) {
	if in.TenantID != Tenant {
		rules.Broken("tenant_id", "must be the token's")
	}
	rules.OneOf("workflow_id", &in.WorkflowID, Workflows()...)
	rules.OneOf("brand_id", &in.BrandID, Brands()...)
	wire.Between(rules, "expiry_period", &in.ExpiryPeriod, 1, expiryLimit)
	if len(in.people) == 0 {
		rules.Broken("users", "must have at least one person")
	}
	for i, one := range in.people {
		one.check(rules, func(member string) string { return at("users", i, member) }, now)
	}
	if len(in.Tokens) == 0 {
		rules.Broken("tokens", "must name at least one role")
	}
	var roles []string
	for i, one := range in.Tokens {
		if len(one.Role) < 1 || len(one.Role) > 32 || slices.Contains(roles, one.Role) {
			rules.Broken(at("tokens", i, "role"), "must be 1 to 32 characters, each role once")
		}
		roles = append(roles, one.Role)
	}
	for i, one := range in.redirects {
		rules.OneOf(at("configuration.redirects", i, "id"), &one.ID, redirectPass, redirectFail, redirectTimeout, redirectError, redirectDefault)
		if u, err := url.Parse(one.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			rules.Broken(at("configuration.redirects", i, "url"), "must be an address")
		}
	}
	in.checkDocuments(rules)
}

func (in *input) checkDocuments(rules *wire.Rules) {
	total := 0
	var ids []string
	for i, one := range in.Documents {
		if one.ID == "" || slices.Contains(ids, one.ID) {
			rules.Broken(at("documents", i, "id"), "is required, each id once")
		}
		ids = append(ids, one.ID)
		if total += len(one.Content); len(one.Content) > documentLimit || total > documentsLimit {
			rules.Broken(at("documents", i, "content"), "is too large")
		}
		if one.TemplateID == nil && !bytes.HasPrefix(one.Content, []byte("%PDF-")) {
			rules.Broken(at("documents", i, "content"), "must be a PDF")
		}
	}
}

// check reports what is wrong with a person; field returns the path of a member.
func (u user) check(rules *wire.Rules, field func(member string) string, now time.Time) {
	rules.Required(field("first_name"), &u.FirstName)
	rules.Required(field("last_name"), &u.LastName)
	if u.DOB != nil {
		date, err := time.Parse(stampForm, *u.DOB)
		if err != nil || !strings.HasSuffix(*u.DOB, "T00:00:00.000Z") || !date.Before(now) {
			rules.Broken(field("dob"), "must be a day in the past at T00:00:00.000Z")
		}
	}
	if u.Company != nil && (*u.Company == "" || len([]rune(*u.Company)) > 128) {
		rules.Broken(field("company"), "must be 1 to 128 characters")
	}
	if u.PhoneNumber != nil && !phoneNumber.MatchString(*u.PhoneNumber) {
		rules.Broken(field("phone_number"), "must be in international format")
	}
	for _, one := range u.Emails {
		if !strings.Contains(one, "@") {
			rules.Broken(field("emails"), "must be e-mail addresses")
		}
	}
	if a := u.Address; a != nil && a.CountryCode != nil && (!countryCode.MatchString(*a.CountryCode) || *a.CountryCode == "UK") {
		rules.Broken(field("address.country_code"), "must be a code of ISO 3166-1, such as GB")
	}
}

// at returns the dotted path of a member of an array's element.
func at(array string, i int, member string) string {
	return strings.TrimSuffix(array+"."+strconv.Itoa(i)+"."+member, ".")
}
